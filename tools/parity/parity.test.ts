import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { TempRepository } from "../testing/temp-repository.ts";

const parity = (...args: string[]) => spawnSync(process.execPath, [join(import.meta.dirname, "parity.ts"), ...args], { encoding: "utf8" });

test("the command passes on the records of this repository, and refuses what it cannot read", () => {
  const { status, stdout } = parity();
  expect(stdout).toContain("attacher: nothing waits\n");
  expect(status).toBe(0);

  const unknown = parity("--clone=x");
  expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining("parity: Unknown option '--clone'")]);

  using empty = new TempRepository();
  const { status: failed, stderr } = parity("--clones", empty.folder);
  expect([failed, stderr]).toEqual([1, expect.stringMatching(/^parity: .* has no clone of kubernetes-csi\/external-attacher: git clone/)]);
});
