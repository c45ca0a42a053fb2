import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readReport } from "./report.ts";
import { succeeded, summaryOf } from "./summary.ts";

const spec = (text: string, state: string, message?: string, type = "It") => ({
  ContainerHierarchyTexts: ["[sig-storage]", "External Storage [Driver: hostpath.csi.k8s.io]"],
  LeafNodeType: type,
  LeafNodeText: text,
  State: state,
  RunTime: 2e9,
  ...(message === undefined ? {} : { Failure: { Message: message } }),
});

function resultsOf(specs: readonly object[], suite: object = { SuiteSucceeded: true }) {
  const folder = mkdtempSync(join(tmpdir(), "report-"));
  try {
    writeFileSync(join(folder, "report.json"), JSON.stringify([{ ...suite, SpecReports: specs }]));
    return readReport(join(folder, "report.json"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a test that skips itself counts, one that focus left out does not", () => {
  const tests = resultsOf([spec("mounts", "passed"), spec("ntfs", "skipped", "no Windows\nhere"), spec("left out", "skipped")]);
  expect(tests.map(({ outcome, reason, seconds }) => [outcome, reason, seconds])).toEqual([
    ["passed", "", 2],
    ["skipped", "no Windows\nhere", 2],
  ]);
  const result = { set: "fast", seconds: 61.4, tests };
  expect(summaryOf([result])).toBe(
    ["# fast: 1 passed, 0 failed, 1 skipped in 61 s", "skipped 1: no Windows", "    ntfs", "", "1 passed, 0 failed, 1 skipped"].join("\n"),
  );
  expect(succeeded(result)).toBe(true);
});

test.each(["failed", "timedout", "panicked", "interrupted", "aborted"])("a test that %s is a failure", (state) => {
  const tests = resultsOf([spec("mounts", state, "timed out"), spec("expands", "passed")]);
  const result = { set: "fast", seconds: 1, tests };
  expect(summaryOf([result])).toContain("failed: mounts\n    timed out");
  expect(summaryOf([result])).toEndWith("1 passed, 1 failed, 0 skipped");
  expect(succeeded(result)).toBe(false);
});

test("what prepares the suite counts only when it fails", () => {
  expect(resultsOf([spec("", "passed", undefined, "SynchronizedBeforeSuite")])).toEqual([]);
  expect(resultsOf([spec("", "failed", "no nodes", "SynchronizedBeforeSuite")])).toMatchObject([{ outcome: "failed", reason: "no nodes" }]);
});

test("tests that the suite did not come to make it fail", () => {
  const suite = { SuiteSucceeded: false, SpecialSuiteFailureReasons: ["Suite Timeout Elapsed"], PreRunStats: { SpecsThatWillRun: 50 } };
  const tests = resultsOf([spec("mounts", "passed"), spec("expands", "skipped")], suite);
  expect(tests.at(-1)).toMatchObject({ name: "the suite", outcome: "failed", reason: "Suite Timeout Elapsed; 1 of 50 tests ran" });
  expect(succeeded({ set: "fast", seconds: 1, tests })).toBe(false);
});

test("a suite that did not succeed and does not say why is a failure, unless a test failed", () => {
  const suite = { SuiteSucceeded: false, SpecialSuiteFailureReasons: null, PreRunStats: { SpecsThatWillRun: 1 } };
  expect(resultsOf([spec("mounts", "passed")], suite)).toMatchObject([{ outcome: "passed" }, { name: "the suite", outcome: "failed" }]);
  expect(resultsOf([spec("mounts", "failed", "timed out")], suite)).toMatchObject([{ reason: "timed out" }]);
});

test("a set without a test that passed has not succeeded", () => {
  expect(succeeded({ set: "fast", seconds: 1, tests: [] })).toBe(false);
  expect(succeeded({ set: "fast", seconds: 1, tests: resultsOf([spec("ntfs", "skipped", "no Windows")]) })).toBe(false);
});
