import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Component } from "@csi-sidecars/host";
import { contractProblems } from "../../test/contract/component-contract.ts";
import { namesOf, renamed } from "./names.ts";
import { withComponent, writeComponent } from "./write-component.ts";

const root = join(import.meta.dirname, "../..");

test("a component from the template compiles, keeps the contract and passes its tests", async () => {
  const folder = mkdtempSync(join(tmpdir(), "new-component-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["components"] }));
    const written = writeComponent(namesOf("volume-cloner", []), join(folder, "components"), "1.2.3");

    const types = spawnSync(join(root, "node_modules/.bin/tsc"), ["--noEmit", "--project", folder], { encoding: "utf8" });
    expect([types.status, types.stdout]).toEqual([0, ""]);
    const tests = spawnSync(process.execPath, ["test", "--timeout", "30000", "."], { cwd: written, encoding: "utf8" });
    expect([tests.status, /\b(\d+) fail/.exec(tests.stderr)?.[1], tests.stderr]).toEqual([0, "0", expect.stringContaining("8 pass")]);

    const made: { volumeCloner: Component } = await import(join(written, "component.ts"));
    expect([made.volumeCloner.name, made.volumeCloner.standalone]).toEqual(["volume-cloner", "csi-volume-cloner"]);
    expect(contractProblems(made.volumeCloner, written)).toEqual([]);
    expect(JSON.parse(readFileSync(join(written, "package.json"), "utf8"))).toMatchObject({
      name: "@csi-sidecars/volume-cloner",
      version: "1.2.3",
    });
    expect(() => writeComponent(namesOf("volume-cloner", []), join(folder, "components"), "1.2.3")).toThrow("exists already");
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

describe("a name", () => {
  test("is spelled as the places of the template spell it", () => {
    const names = namesOf("volume-cloner", []);
    expect(renamed("template-sidecar templateSidecarRules startTemplateSidecar", names)).toBe(
      "volume-cloner volumeClonerRules startVolumeCloner",
    );
  });

  test.each([
    ["Volume", '"Volume" is no name: write it like volume-cloner'],
    ["../x", '"../x" is no name: write it like volume-cloner'],
    ["a--b", '"a--b" is no name: write it like volume-cloner'],
    ["attacher", "attacher exists already: choose another name"],
  ])("%s is refused", (name, problem) => {
    expect(() => namesOf(name, ["attacher"])).toThrow(problem);
  });
});

test("a component is registered among the others, imports in order", () => {
  const source = readFileSync(join(root, "cmd/csi-sidecars/components.ts"), "utf8");
  const registered = withComponent(source, namesOf("modifier", []));
  const lines = registered.split("\n");
  const at = lines.indexOf('import { modifier } from "@csi-sidecars/modifier";');
  expect(lines[at - 1]).toBe('import { livenessprobe } from "@csi-sidecars/livenessprobe";');
  expect(lines[at + 1]).toBe('import { nodeDriverRegistrar } from "@csi-sidecars/node-driver-registrar";');
  expect(registered).toContain("  volumeDataSourceValidator,\n  modifier,\n];");
  expect(lines.length).toBe(source.split("\n").length + 2);
});
