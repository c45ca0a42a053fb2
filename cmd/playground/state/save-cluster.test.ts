import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@csi-sidecars/base/testing";
import { checkClusterFile, saveCluster } from "./save-cluster.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cluster-file-"));
  file = join(folder, "cluster.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the file of a cluster", () => {
  test.each(['{"resourceVersion":1,"objects":{}}', '{"resourceVersion":1,"objects":{"pods":[{"metadata":{"name":"a"}}]}}'])(
    "may be %s",
    (text) => {
      writeFileSync(file, text);
      checkClusterFile(file);
    },
  );

  test("may be missing", () => checkClusterFile(file));

  test.each([
    ["", "is damaged"],
    ["{", "is damaged"],
    ["[]", "was not written by the playground"],
    ['{"objects":{}}', "was not written by the playground"],
    ['{"resourceVersion":1,"objects":{"pods":5}}', "was not written by the playground"],
    ['{"resourceVersion":1,"objects":{"pods":[{}]}}', "was not written by the playground"],
  ])("may not be %p", (text, what) => {
    writeFileSync(file, text);
    expect(() => checkClusterFile(file)).toThrow(`--state: ${file} ${what}`);
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

describe("saving", () => {
  const named = (name: string) => ({ pods: [{ metadata: { name } }] });

  test("writes changes a second later, and nothing without one", async () => {
    const clock = new FakeClock();
    let snapshot = { resourceVersion: 1, objects: named("a") };
    using _saving = saveCluster({ snapshot: () => snapshot }, file, clock);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(snapshot);
    snapshot = { resourceVersion: 2, objects: named("b") };
    await clock.advance(1_000);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(snapshot);
    rmSync(file);
    await clock.advance(1_000);
    expect(existsSync(file)).toBe(false);
  });

  test("reports a failed write, until one succeeds", async () => {
    const clock = new FakeClock();
    mkdirSync(file);
    using saving = saveCluster({ snapshot: () => ({ resourceVersion: 1, objects: {} }) }, file, clock);
    expect(saving.problem).toContain(`${file} cannot be written: `);
    rmSync(file, { recursive: true });
    await clock.advance(1_000);
    expect(saving.problem).toBeUndefined();
  });
});
