import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { monitoringFolder, prometheusRule } from "../../tools/generate-deploy/monitoring.ts";
import type { Exposition } from "./testing/exposition.ts";
import { parseQuery } from "./testing/promql.ts";
import { scrapeEverything } from "./testing/scrape-everything.ts";
import { dashboard, panelQueries, rules } from "./testing/shipped.ts";

/** What Prometheus adds to everything that it scrapes. */
const targetLabels = ["job", "instance", "namespace", "pod"];
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panelQueries.map(({ title, expr }) => [`panel ${title}`, expr] as const),
];
/** What Prometheus itself writes is served by nobody. */
const servedSelectors = (expr: string) => parseQuery(expr).selectors.filter(({ metric }) => !["up", "ALERTS"].includes(metric));
const selected = queries.flatMap(([, expr]) => servedSelectors(expr).map(({ metric }) => metric));

let scraped: Exposition;
beforeAll(async () => {
  scraped = await scrapeEverything([...new Set(selected)]);
}, 60_000);

test.each(queries)("%s: the program serves every metric and label of the query", (_, expr) => {
  const { grouping } = parseQuery(expr);
  const known = new Set(targetLabels);
  for (const { metric, matchers } of servedSelectors(expr)) {
    const labels = [...targetLabels, ...(scraped.labels.get(metric) ?? [])];
    for (const label of labels) known.add(label);
    expect(matchers.map(({ label }) => label).filter((label) => !labels.includes(label))).toEqual([]);
  }
  expect(grouping.filter((label) => !known.has(label))).toEqual([]);
});

test("rates are taken of counters alone", () => {
  const rated = queries.flatMap(([, expr]) => [...expr.matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, metric = ""]) => metric));
  const typeOf = (metric: string) => scraped.types.get(metric) ?? scraped.types.get(metric.replace(/_(bucket|sum|count)$/, ""));
  expect(rated.filter((metric) => !["counter", "histogram"].includes(typeOf(metric) ?? ""))).toEqual([]);
  expect(rated.length).toBeGreaterThan(20);
});

/** Everything that the sources write as a string. */
const strings = [...new Bun.Glob("{packages,components}/**/*.ts").scanSync(join(monitoringFolder, "../.."))]
  .filter((file) => !/node_modules\/|\.test\.ts$|\/testing\//.test(file))
  .map((file) => readFileSync(join(monitoringFolder, "../..", file), "utf8"))
  .join("\n");

test.each(rules.map(({ alert, expr }) => [alert, expr] as const))("%s: the program knows the values of its labels", (_, expr) => {
  const values = servedSelectors(expr).flatMap(({ matchers }) => matchers.flatMap(({ value }) => value.split("|")));
  const unknown = values.filter((value) => !/^\d[\d.]*$/.test(value) && !strings.includes(`"${value}"`) && !strings.includes(`${value}: `));
  expect(unknown).toEqual([]);
});

describe("the dashboard", () => {
  test("names labels that its queries have left", () => {
    for (const { title, expr, legendFormat } of panelQueries) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      expect([title, named.filter((label) => !expr.includes(label) && !targetLabels.includes(label) && label !== "controller")]).toEqual([
        title,
        [],
      ]);
    }
  });

  test("uses the variables that it has", () => {
    const used = new Set([...JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)\}?/g)].map(([, name]) => name));
    expect([...used].filter((name) => name !== "__rate_interval").sort()).toEqual(dashboard.templating.list.map(({ name }) => name).sort());
    for (const { definition = "", allValue } of dashboard.templating.list) {
      // "All" are the values that were found: .* would show other programs with metrics of the same names.
      expect(allValue).toBeUndefined();
      expect(definition).toMatch(/^$|^label_values\(csi_sidecars_event_loop_lag_seconds, \w+\)$/);
    }
  });

  test("has no panels above each other", () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });
});

test("prometheus-rule.yaml has the same rules; else run npm run generate:deploy", () => {
  expect(readFileSync(join(monitoringFolder, "prometheus-rule.yaml"), "utf8")).toBe(prometheusRule());
});

test("docs/metrics.md names the queues, and every metric that is served", () => {
  const page = readFileSync(join(monitoringFolder, "../../docs/metrics.md"), "utf8");
  const queues = scraped.valuesOf("workqueue_depth", "name").map((name) => name.replace("csi.example.com", "<driver>"));
  expect(queues).toContain("claims");
  expect([...queues, ...scraped.types.keys()].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the labels that are served are known", () => {
  expect(scraped.labels.get("workqueue_depth")).toEqual(new Set(["name"]));
});
