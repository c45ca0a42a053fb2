import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { chartsFolder } from "../../tools/generate-deploy/chart-files.ts";

const pageText = (name: string) => readFileSync(join(chartsFolder, "../../docs", name), "utf8");

describe("docs/getting-started.md", () => {
  const page = pageText("getting-started.md");
  const chart = page.slice(page.indexOf("### A chart of your own"), page.indexOf("## 3. "));

  test("names templates that exist", () => {
    const templates = [...new Bun.Glob("csi-sidecars/templates/*.tpl").scanSync(chartsFolder)];
    const defined = templates.flatMap((file) => {
      return [...readFileSync(join(chartsFolder, file), "utf8").matchAll(/define "([^"]+)"/g)].map(([, name]) => name);
    });
    const named = [...chart.matchAll(/[`"](csi-sidecars\.[a-zA-Z]+)[`"]/g)].map(([, name]) => name);
    expect(new Set(named).size).toBeGreaterThan(8);
    expect(defined).toEqual(expect.arrayContaining(named));
  });

  test("describes every chart", () => {
    const described = [...chart.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
    expect(described.toSorted()).toEqual(readdirSync(chartsFolder).toSorted());
  });
});

describe("docs/sizing.md", () => {
  const page = pageText("sizing.md");
  const values = (chart: string) => parse(readFileSync(join(chartsFolder, chart, "values.yaml"), "utf8"));

  test.each([
    ["controller pod, up to 20,000 volumes", values("csi-sidecars").controller],
    ["node pod", values("csi-sidecars").node],
    ["snapshot-controller, up to 20,000 snapshots", values("snapshot-controller").controller],
    ["snapshot-webhook", values("snapshot-controller").webhook],
    ["hostpath driver, 10,000 volumes", values("csi-hostpath").hostpath],
  ])("%s has the resources that the chart has", (what, { resources }) => {
    expect(page).toContain(`| ${what} | ${resources.requests.memory} | ${resources.limits.memory} |`);
  });
});
