import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const parity = (...args: string[]) => spawnSync(process.execPath, [join(import.meta.dirname, "parity.ts"), ...args], { encoding: "utf8" });

test("the command passes on the records of this repository, and refuses what it cannot read", () => {
  const { status, stdout } = parity();
  expect(stdout).toContain("attacher: nothing waits\n");
  expect(status).toBe(0);

  const unknown = parity("--clone=x");
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("parity: Unknown option '--clone'")]);

  const empty = mkdtempSync(join(tmpdir(), "clones-"));
  const incomplete = parity("--clones", empty);
  rmdirSync(empty);
  expect([incomplete.status, incomplete.stderr]).toEqual([1, ""]);
  for (const repository of ["external-attacher", "csi-proxy", "volume-data-source-validator"])
    expect(incomplete.stdout).toContain(`  FAIL ${empty} has no clone of kubernetes-csi/${repository}: git clone`);
});
