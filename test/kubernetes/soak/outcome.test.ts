import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeOutcome, writeOutcome } from "./outcome.ts";
import { Recorder } from "./recorder.ts";

test("a soak that is ended at any time has its record, its plot and a verdict", () => {
  const out = mkdtempSync(join(tmpdir(), "soak-"));
  try {
    const recorder = new Recorder(2);
    recorder.failed("v0-1: waited for a claim");
    recorder.notDisturbed("hostpathplugin: ESRCH");
    writeOutcome({ hours: 2, parallel: 4, seed: 17, out }, recorder.record());
    expect(readdirSync(out).sort()).toEqual(["plot.svg", "record.json", "verdict.txt"]);
    const written = JSON.parse(readFileSync(join(out, "record.json"), "utf8"));
    expect(written).toMatchObject({ hours: 2, parallel: 4, seed: 17, failedDisturbances: ["hostpathplugin: ESRCH"] });
    expect(readFileSync(join(out, "verdict.txt"), "utf8")).toContain("v0-1: waited for a claim");
    removeOutcome(out);
    expect(existsSync(join(out, "verdict.txt"))).toBe(false);
  } finally {
    rmSync(out, { recursive: true });
  }
});
