import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { familiesOf } from "../../tools/generate-docs/metrics/metric-families.ts";
import { metricGroups } from "../../tools/generate-docs/metrics/metric-groups.ts";

const root = join(import.meta.dirname, "../..");
const families = new Map(metricGroups.flatMap((group) => familiesOf(group).map((family) => [family.name, family] as const)));
const prefixes =
  "csi_sidecars?|csi_proxy|workqueue|rest_client|leader_election|event_recorder|controller_persistentvolume|csistoragecapacities|snapshot_controller";
const metricSpan = new RegExp(`\`((?:${prefixes})_\\w+?)(_bucket|_sum|_count)?(?:\\{([^}\`]*)\\})?\``, "g");

/** The metrics that a page names, with the labels that it gives them. */
function metricsIn(markdown: string) {
  return [...markdown.matchAll(metricSpan)].map(([span, name = "", suffix = "", labels = ""]) => ({
    span,
    name: families.has(`${name}${suffix}`) ? `${name}${suffix}` : name,
    labels: labels.split(",").flatMap((label) => /^\s*(\w+)/.exec(label)?.[1] ?? []),
  }));
}

const pages = ["*.md", "{docs,deploy,components}/**/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })])
  .filter((page) => page !== "CHANGELOG.md" && !page.includes("node_modules/"))
  .map((page) => [page, metricsIn(readFileSync(join(root, page), "utf8"))] as const)
  .filter(([, metrics]) => metrics.length > 0);

test.each(pages)("the metrics that %s names exist, with these labels", (_, metrics) => {
  const wrong = metrics.filter(
    ({ name, labels }) => !labels.every((label) => families.get(name)?.labels.includes(label)) || !families.has(name),
  );
  expect(wrong.map(({ span }) => span)).toEqual([]);
});

test("pages name metrics", () => {
  expect(pages.map(([page]) => page)).toContain("docs/migration.md");
  expect(metricsIn('`workqueue_depth{name,x="1"}`, `csi_sidecar_operations_seconds_count`')).toEqual([
    { span: '`workqueue_depth{name,x="1"}`', name: "workqueue_depth", labels: ["name", "x"] },
    { span: "`csi_sidecar_operations_seconds_count`", name: "csi_sidecar_operations_seconds", labels: [] },
  ]);
});

test("what docs/migration.md calls new is what upstream does not have", () => {
  const page = readFileSync(join(root, "docs/migration.md"), "utf8");
  const listed = /^ {2}- New are (.*) and all that begin with `(csi_sidecars_)`/m.exec(page);
  const named = [...(listed?.[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name.replace("*", ""));
  const isListed = (name: string) =>
    [...named, listed?.[2] ?? "none"].some((each) => name === each || (each.endsWith("_") && name.startsWith(each)));
  const other = /^(nodejs|csi_proxy)_/;
  const ours = [...families.values()].filter(({ upstream, name }) => upstream.length === 0 && !other.test(name)).map(({ name }) => name);
  expect(ours.filter((name) => !isListed(name))).toEqual([]);
  expect([...families.values()].filter(({ upstream, name }) => upstream.length > 0 && isListed(name)).map(({ name }) => name)).toEqual([]);
});
