import { expect, test } from "bun:test";
import { limitConcurrency, type ProgramFailure, runProgram } from "./run-program.ts";

const failure = (program: string, ...args: string[]) =>
  runProgram(program, args).catch((error: ProgramFailure) => [error.message, error.status]);

test.each<[string, string[], (string | number | undefined)[]]>([
  ["its own words", ["-c", "echo output; echo words >&2; exit 3"], ["sh failed: words", 3]],
  ["its status, where it said nothing", ["-c", "exit 4"], ["sh failed: it ended with 4", 4]],
  ["the signal that ended it", ["-c", "kill -9 $$"], ["sh failed: it ended with SIGKILL", undefined]],
])("a failure tells %s", async (_, args, expected) => {
  expect(await failure("sh", ...args)).toEqual(expected);
});

test("a failure tells that the program is not there", async () => {
  expect(await failure("no-such-program")).toEqual(["no-such-program failed: the program is not installed", undefined]);
});

test("a program that has much to say is let finish", async () => {
  const words = "head -c 40000000 /dev/zero | tr '\\0' 'w' >&2";
  expect(await runProgram("sh", ["-c", `${words}; echo done`])).toBe("done\n");
  expect((await runProgram("sh", ["-c", `${words}; exit 2`]).catch(String)).length).toBeLessThan(20_000);
});

test("so many programs run at a time, all run, and one that fails makes room too", async () => {
  let [running, most] = [0, 0];
  const run = limitConcurrency(async (program) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (program === "13") throw new Error("failed");
    return program;
  }, 4);
  const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => run(String(index), [])));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(99);
  expect([running, most]).toEqual([0, 4]);
  expect(await run("again", [])).toBe("again");
});
