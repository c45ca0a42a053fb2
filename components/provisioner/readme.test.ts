import { expect, test } from "bun:test";
import { flagsTable, readCommandLine } from "@csi-sidecars/host";
import { provisioner } from "./component.ts";

/** Without the padding of tables. */
const plain = (markdown: string) => markdown.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");
const readme = plain(await Bun.file(`${import.meta.dirname}/README.md`).text());

test("the README shows the flags as they are", () => {
  expect(readme).toContain(plain(flagsTable(provisioner)));
});

test("the README shows the rules as they are, with all features on", () => {
  const line = readCommandLine({ form: "individual", name: "csi-provisioner", component: provisioner }, ["--enable-capacity"]);
  if (line.asks !== "run") throw new Error(JSON.stringify(line));
  const { cluster, namespaced } = provisioner.rbac(line.settings.of(provisioner));
  const rows = [...cluster, ...namespaced].map(({ apiGroups, resources, verbs }) =>
    plain(`| ${apiGroups.join(", ")} | \`${resources.join(", ")}\` | ${verbs.join(", ")} |`),
  );
  const shown = readme.slice(readme.indexOf("## Rules")).match(/^\| [^|]*\| `[^|]*\|[^|]*\|/gm);
  expect(shown as readonly string[]).toEqual(rows);
});
