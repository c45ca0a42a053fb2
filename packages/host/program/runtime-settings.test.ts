import { describe, expect, test } from "bun:test";
import { type Replaceable, restartWithSettings, type Workload } from "./runtime-settings.ts";

const compiled = {
  argv: ["bun", "/$bunfs/root/csi-sidecars", "livenessprobe", "--v=4"],
  argv0: "/usr/bin/livenessprobe",
  execPath: "/csi-sidecars",
  env: { POD_NAME: "node-1" },
};
const tuned = { BUN_GC_TIMER_INTERVAL: "30000", BUN_JSC_useJIT: "0" };

describe("a program with runtime settings", () => {
  test("restarts under its own name, with its arguments and environment", () => {
    expect(calls(compiled, "node")).toEqual([
      ["/csi-sidecars", ["/usr/bin/livenessprobe", "livenessprobe", "--v=4"], { POD_NAME: "node-1", ...tuned }],
    ]);
  });

  for (const [when, workload, env, begunWith] of [
    ["a controller keeps the compiler but its last stage", "controller", {}, { BUN_GC_TIMER_INTERVAL: "30000", BUN_JSC_useFTLJIT: "0" }],
    ["what the pod's owner set stays", "node", { BUN_JSC_useJIT: "1" }, { BUN_GC_TIMER_INTERVAL: "30000", BUN_JSC_useJIT: "1" }],
    ["it is done once", "node", tuned, undefined],
    ["it is done once for a controller", "controller", { BUN_GC_TIMER_INTERVAL: "30000", BUN_JSC_useFTLJIT: "0" }, undefined],
  ] as const) {
    test(when, () => {
      const environments = calls({ ...compiled, env }, workload).map(([, , begun]) => begun);
      expect(environments).toEqual(begunWith ? [begunWith] : []);
    });
  }

  test("continues as it is when it runs from its sources, or where a process cannot be replaced", () => {
    expect(calls({ ...compiled, argv: ["bun", "/src/cmd/csi-sidecars/main.ts"] }, "node")).toEqual([]);
    restartWithSettings(compiled, "node");
    const refused = () => {
      throw new Error("EPERM");
    };
    restartWithSettings({ ...compiled, execve: refused }, "node");
  });
});

type Call = Parameters<NonNullable<Replaceable["execve"]>>;

function calls(process: Omit<Replaceable, "execve">, workload: Workload): Call[] {
  const made: Call[] = [];
  restartWithSettings({ ...process, execve: (...args) => void made.push(args) }, workload);
  return made;
}
