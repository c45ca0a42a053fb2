import { expect, test } from "bun:test";
import { join } from "node:path";

test.each([
  ["at-once", 1, "bytes took more than 256 MiB of memory"],
  ["kept", 1, "the process grew by more than 256 MiB with seed 1"],
  ["nothing", 0, "new cases passed"],
])("a reader that takes memory (%s) ends with %d, however few inputs there are", async (greed, code, expected) => {
  const run = Bun.spawn([process.execPath, join(import.meta.dirname, "testing", "greedy-target.ts"), greed], { stdout: "pipe" });
  const [exitCode, output] = await Promise.all([run.exited, run.stdout.text()]);
  expect(output).toContain(expected);
  expect(exitCode).toBe(code);
});
