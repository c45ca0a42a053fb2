import { expect, test } from "bun:test";
import { join } from "node:path";
import { targets } from "./targets/targets.ts";

const seed = Number(process.env.SEED ?? Date.now() % 1e9);
const seconds = 5;

// Each target has a process of its own, so that a crash, a loop without end or too much memory is a failed test and nothing more.
test.each(targets.map(({ name, about }) => [name, about] as const))(
  "%s: %s",
  async (name) => {
    const args = [join(import.meta.dirname, "main.ts"), "--target", name, "--seed", `${seed}`, "--seconds", `${seconds}`];
    const run = Bun.spawn([process.execPath, ...args], { stdout: "pipe", stderr: "pipe" });
    const [exitCode, stdout, stderr] = await Promise.all([run.exited, run.stdout.text(), run.stderr.text()]);
    expect({ exitCode, signal: run.signalCode, failure: exitCode === 0 ? "" : stdout + stderr }).toEqual({
      exitCode: 0,
      signal: null,
      failure: "",
    });
  },
  120_000,
);
