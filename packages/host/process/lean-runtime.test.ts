import { describe, expect, test } from "bun:test";
import { type Replaceable, restartWithoutCompiler } from "./lean-runtime.ts";

const compiled = {
  argv: ["bun", "/$bunfs/root/csi-sidecars", "livenessprobe", "--v=4"],
  argv0: "/usr/bin/livenessprobe",
  execPath: "/csi-sidecars",
  env: { POD_NAME: "node-1" },
};

describe("a program that compiles nothing", () => {
  test("begins anew under its own name, with its arguments and surroundings", () => {
    expect(calls(compiled)).toEqual([
      ["/csi-sidecars", ["/usr/bin/livenessprobe", "livenessprobe", "--v=4"], { POD_NAME: "node-1", BUN_JSC_useJIT: "0" }],
    ]);
  });

  for (const [when, given] of [
    ["it was done before", { env: { BUN_JSC_useJIT: "0" } }],
    ["the pod's owner wants the compiler", { env: { BUN_JSC_useJIT: "1" } }],
    ["it runs from its sources", { argv: ["bun", "/src/cmd/csi-sidecars/main.ts"] }],
  ] as const) {
    test(`goes on when ${when}`, () => expect(calls({ ...compiled, ...given })).toEqual([]));
  }

  test("goes on where a process cannot be replaced", () => {
    restartWithoutCompiler(compiled);
    restartWithoutCompiler({
      ...compiled,
      execve() {
        throw new Error("EPERM");
      },
    });
  });
});

function calls(process: Omit<Replaceable, "execve">): unknown[] {
  const made: unknown[] = [];
  restartWithoutCompiler({ ...process, execve: (...args) => made.push(args) });
  return made;
}
