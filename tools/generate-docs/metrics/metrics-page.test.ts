import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { metricGroups } from "./metric-groups.ts";
import { metricsPage } from "./metrics-page.ts";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/metrics.md"), "utf8");

test("docs/metrics.md shows the metrics as they are; else run npm run generate:docs", () => {
  expect(page).toBe(metricsPage(metricGroups));
});

test("a metric is on the page with type, labels, and who has it upstream", () => {
  expect(page).toContain("| `csi_sidecars_resizer_claims` | gauge, ALPHA | `operation`, `state` | new | Claims whose volume");
  expect(page).toContain("| `volume_data_source_validator_operation_count` | counter, ALPHA | `result` | `volume-data-source-validator` |");
});

/** The sources that define metrics. */
const defining = [...new Bun.Glob("{packages,components,cmd}/**/*.ts").scanSync({ cwd: root })]
  .filter((file) => !/node_modules\/|\.test\.ts$|\/testing\//.test(file))
  .filter((file) => /import \{[^}]*\b(Counter|Gauge|Histogram)\b[^}]*\} from "@csi-sidecars\/base\/prometheus"/.test(sourceOf(file)));

function sourceOf(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

test("there are sources that define metrics", () => {
  expect(defining).toContain("components/resizer/metrics.ts");
});

test.each(defining)("the metrics that %s names are on the page, and their labels", (file) => {
  const names = [...sourceOf(file).matchAll(/"([a-z]+(?:_[a-z]+)+)"/g)].map(([, name = ""]) => name);
  // One that is put together has its beginning in the source.
  expect(names.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}_`))).toEqual([]);
});
