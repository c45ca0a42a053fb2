import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitoringFolder } from "../../tools/generate-deploy/monitoring.ts";
import { type AlertCase, alertCases } from "./testing/alert-cases.ts";
import { panelQueries, rules } from "./testing/shipped.ts";

const promtool = Bun.which("promtool") ?? "";
const folder = mkdtempSync(join(tmpdir(), "csi-rules-"));
afterAll(() => rmSync(folder, { recursive: true }));
const rulesFile = join(monitoringFolder, "csi-sidecars.rules.yaml");

/** What promtool says, and whether it is content. JSON is YAML. */
function run(command: "check" | "test", file: string, content?: object) {
  if (content) writeFileSync(file, JSON.stringify(content));
  const { exitCode, stdout, stderr } = Bun.spawnSync([promtool, command, "rules", file]);
  return { exitCode, said: `${stdout}${stderr}` };
}

const count = (alert: string, matchers: string) => `count(ALERTS{alertname="${alert}", alertstate="firing"${matchers}})`;

/** The labels that the texts of an alert name. */
function named(alert: string): string {
  const rule = rules.find((each) => each.alert === alert);
  const labels = [...JSON.stringify(rule?.annotations ?? "").matchAll(/\$labels\.(\w+)/g)].map(([, label]) => `, ${label}!=""`);
  return labels.join("");
}

function testsOf({ alert, fires, quiet }: AlertCase): object[] {
  const one = (values: Readonly<Record<string, string>>, expr: string, exp_samples: object[]) => ({
    interval: "1m",
    input_series: Object.entries(values).map(([series, sequence]) => ({ series, values: sequence })),
    promql_expr_test: [{ expr, eval_time: "110m", exp_samples }],
  });
  return [one(fires, count(alert, named(alert)), [{ labels: "{}", value: 1 }]), one(quiet, count(alert, ""), [])];
}

test("every alert has a case", () => {
  expect(alertCases.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
});

describe.skipIf(promtool === "")("promtool (Debian's package prometheus; skipped without it)", () => {
  test("takes the rules", () => {
    expect(run("check", rulesFile)).toEqual({ exitCode: 0, said: expect.stringContaining(`${rules.length} rules found`) });
  });

  test("takes the queries of the dashboard", () => {
    const asRules = panelQueries.map(({ expr }, at) => ({ record: `panel:query:${at}`, expr }));
    expect(run("check", join(folder, "dashboard.json"), { groups: [{ name: "dashboard", rules: asRules }] })).toEqual({
      exitCode: 0,
      said: expect.stringContaining(`${asRules.length} rules found`),
    });
  });

  test("finds that each alert fires when it should, with the labels that its texts name, and not otherwise", () => {
    const content = { rule_files: [rulesFile], evaluation_interval: "10m", tests: alertCases.flatMap(testsOf) };
    expect(run("test", join(folder, "cases.json"), content)).toEqual({ exitCode: 0, said: expect.stringContaining("SUCCESS") });
  });
});
