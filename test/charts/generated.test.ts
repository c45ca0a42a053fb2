import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
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
