import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installedAssets } from "@csi-sidecars/testcluster";
import { alive, createClaim, descendants, interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";
import { until } from "./testing/until.ts";

const assets = installedAssets(process.env);

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.skipIf(assets === undefined)("on a real control plane the playground", () => {
  const env = { KUBEBUILDER_ASSETS: assets ?? "" };

  test("runs the demo with zones, and leaves nothing behind", async () => {
    const [code, output] = await world.run(["--real", "--demo", "--topology", "zones=2"], env);
    expect([code, output]).toEqual([0, expect.stringContaining("All 22 steps passed")]);
    expect(world.leftovers()).toEqual([]);
  }, 120_000);

  test("works with kubectl, and is kept, even after a SIGKILL", async () => {
    const state = join(world.folder, "kept");
    const first = world.start(["--real", "--state", state], env);
    await ready(first);
    const kubectl = (...args: string[]) => {
      const root = join(import.meta.dirname, "../..");
      const { status, stdout, stderr } = spawnSync(join(env.KUBEBUILDER_ASSETS, "kubectl"), args, {
        cwd: root,
        encoding: "utf8",
        env: { KUBECONFIG: join(state, "kubeconfig"), HOME: world.folder },
      });
      return [status, stdout + stderr];
    };
    expect(kubectl("apply", "-f", "cmd/playground/example.yaml")).toEqual([
      0,
      expect.stringContaining("persistentvolumeclaim/data created"),
    ]);
    await until("the volume attached", () => / on node-\d Attached/.test(first.output()));
    expect(kubectl("create", "quota", "storage", "--hard=requests.storage=1Gi")[0]).toBe(0);
    expect(kubectl("wait", "resourcequota/storage", "--for=jsonpath={.status.used.requests\\.storage}=1Gi", "--timeout=30s")[0]).toBe(0);
    expect(kubectl("patch", "pvc", "data", "-p", '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}')).toEqual([
      1,
      expect.stringContaining("exceeded quota: storage"),
    ]);
    expect(kubectl("delete", "quota", "storage")[0]).toBe(0);
    const pids = descendants(first.child.pid ?? 0);
    first.child.kill("SIGKILL");
    await first.ended;
    await until("the end of everything", () => !pids.some(alive) && world.leftovers().length === 0);

    const again = world.start(["--real", "--state", state], env);
    await until("it to remember", () => again.output().includes("claim default/data Bound"));
    expect(kubectl("delete", "-f", "cmd/playground/example.yaml")[0]).toBe(0);
    await until("the end of the volume", () => /volume pvc-\S+ is gone/.test(again.output()));
    await createClaim(join(state, "kubeconfig"), "more");
    await until("more", () => again.output().includes("claim default/more Bound"));
    expect(await interrupt(again)).toBe(0);
  }, 120_000);
});
