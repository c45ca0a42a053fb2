import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { chartFiles, chartsFolder } from "../../tools/generate-deploy/chart-files.ts";

const generated = chartFiles();

test.each([...generated.keys()])("%s is up to date; else run npm run generate:deploy", (path) => {
  const file = join(chartsFolder, path);
  expect(existsSync(file) && readFileSync(file, "utf8")).toBe(generated.get(path) ?? "");
});

test("no file of definitions is left over", () => {
  const files = [...new Bun.Glob("*/files/**/*").scanSync(chartsFolder)];
  expect(files.toSorted()).toEqual([...generated.keys()].filter((path) => path.includes("/files/")).toSorted());
});

test("the chart of the snapshot-controller has the six kinds of snapshots", () => {
  const kinds = [...generated].filter(([path]) => path.includes("/crds/")).map(([, text]) => parse(text).spec.names.kind);
  expect(kinds.toSorted()).toEqual([
    "VolumeGroupSnapshot",
    "VolumeGroupSnapshotClass",
    "VolumeGroupSnapshotContent",
    "VolumeSnapshot",
    "VolumeSnapshotClass",
    "VolumeSnapshotContent",
  ]);
});

describe("docs/getting-started.md", () => {
  const page = readFileSync(join(chartsFolder, "../../docs/getting-started.md"), "utf8");
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
