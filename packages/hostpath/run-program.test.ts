import { expect, test } from "bun:test";
import { type ProgramFailure, runProgram } from "./run-program.ts";

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
