import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSet } from "./run-set.ts";
import { succeeded } from "./summary.ts";

const passed = { ContainerHierarchyTexts: [], LeafNodeType: "It", LeafNodeText: "mounts", State: "passed", RunTime: 1 };
const report = JSON.stringify([{ SuiteSucceeded: true, SpecReports: [passed] }]);

/** The result of a set whose ginkgo is a script, in the folder of an earlier run that succeeded. */
async function resultWith(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "set-"));
  try {
    const out = join(folder, "fast");
    mkdirSync(out);
    writeFileSync(join(out, "report.json"), report);
    writeFileSync(join(folder, "ginkgo"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const kubectl = Object.assign(() => "", { path: "kubectl", kubeconfig: "kubeconfig", apply() {} });
    const set = { name: "fast", definition: "", out, limit: "1h", focus: "", skip: [], parallel: 1, about: "", sshAccess: {} };
    return await runSet({ paths: { node: folder, controlPlane: folder }, kubectl }, set);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const writeReport = `echo '${report}' > report.json`;

test("a set counts when ginkgo wrote its report and ended well", async () => {
  const result = await resultWith(writeReport);
  expect(result.tests).toMatchObject([{ name: "mounts", outcome: "passed" }]);
  expect(succeeded(result)).toBe(true);
});

test("a ginkgo that was killed is a failure, whatever an earlier run reported", async () => {
  const { tests } = await resultWith("kill -9 $$");
  expect(tests).toMatchObject([
    { outcome: "failed", reason: expect.stringContaining("ginkgo ended with signal SIGKILL and wrote no report") },
  ]);
});

test("a ginkgo that fails with a report in which nothing failed is a failure", async () => {
  const { tests } = await resultWith(`${writeReport}; exit 197`);
  expect(tests.at(-1)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("ginkgo ended with exit code 197") });
});
