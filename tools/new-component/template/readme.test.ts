import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { flagsTable } from "@csi-sidecars/host";
import { templateSidecar } from "./component.ts";

/** Without the padding that the formatter gives tables. */
const plain = (markdown: string) => markdown.replaceAll(/ +/g, " ").replaceAll(/-{3,}/g, "---");

test("the README shows the flags as they are", async () => {
  expect(plain(await readFile(new URL("README.md", import.meta.url), "utf8"))).toContain(plain(flagsTable(templateSidecar)));
});
