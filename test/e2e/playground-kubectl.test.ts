import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installedAssets } from "@csi-sidecars/testcluster";
import { interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

const assets = installedAssets(process.env);

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The commands that the playground suggests. */
const suggested = (output: string) => [...output.matchAll(/^ {2}((?:export|date|\S*kubectl) .*)$/gm)].map(([, command = ""]) => command);

describe.skipIf(assets === undefined)("the commands that the playground suggests work", () => {
  test.each([[[]], [["--topology", "zones=2"]], [["--real"]]])("%p", async (flags: string[]) => {
    const env = { KUBEBUILDER_ASSETS: assets ?? "", PATH: "/usr/bin:/bin" };
    const run = world.start(flags, env);
    await ready(run);
    const [access = "", apply = "", get = "", write = "", grow = "", modify = "", ...more] = suggested(run.output());
    const [snapshot = "", wait = "", restore = "", list = "", remove = ""] = more;
    const shell = (command: string) => {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", `${access}; ${command}`], { cwd: world.folder, env, encoding: "utf8" });
      return { status, text: stdout + stderr };
    };
    expect(shell(apply)).toEqual({ status: 0, text: expect.stringContaining("pod/app created") });
    const folder = /(\/\S+)\/log$/.exec(write)?.[1] ?? "";
    await until("the pod to have its volume", () => existsSync(folder));
    expect(shell(get)).toEqual({ status: 0, text: expect.stringMatching(/\/data +Bound .*pod\/app /s) });
    expect(shell(write)).toEqual({ status: 0, text: "" });
    for (const change of [grow, modify]) expect(shell(change)).toEqual({ status: 0, text: expect.stringContaining("data patched") });
    await until("the larger volume", () => / 2Gi .* gold /.test(shell(get).text));
    expect(shell(snapshot)).toEqual({ status: 0, text: expect.stringContaining("/data created") });
    expect(shell(wait)).toEqual({ status: 0, text: expect.stringContaining("/data condition met") });
    expect(shell(restore)).toEqual({ status: 0, text: expect.stringContaining("pod/restored created") });
    expect(shell(list)).toEqual({ status: 0, text: expect.stringMatching(/\/data +true +data +2Gi +playground +snapcontent-/) });
    const restored = join(dirname(dirname(folder)), "restored", "data", "log");
    await until(
      "the restored data",
      () => existsSync(restored) && readFileSync(restored, "utf8") === readFileSync(join(folder, "log"), "utf8"),
    );
    expect(shell(remove)).toEqual({ status: 0, text: expect.stringMatching(/"restored" deleted.*"data" deleted.*"app" deleted/s) });
    await until("the end of the volumes", () => shell(get).text.includes("No resources found"));
    expect(shell(list).text).toContain("No resources found");
    expect(await interrupt(run)).toBe(0);
    expect(world.leftovers()).toEqual([]);
  });
});
