import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { installedAssets } from "@csi-sidecars/testcluster";
import { interrupt, type Playgrounds, playgrounds, ready } from "./testing/playground.ts";

const assets = installedAssets(process.env);
const root = join(import.meta.dirname, "../..");

let world: Playgrounds;
beforeAll(() => {
  world = playgrounds();
});
afterAll(() => world[Symbol.asyncDispose]());

describe.skipIf(assets === undefined)("what a new user tries with kubectl", () => {
  test("manifests are applied, tried again and deleted; accounts have tokens; jobs have pods", async () => {
    const run = world.start([]);
    await ready(run);
    const KUBECONFIG = /KUBECONFIG=(\S+)/.exec(run.output())?.[1] ?? "";
    const kubectl = (...args: readonly string[]) => {
      const env = { KUBECONFIG, HOME: world.folder };
      const { status, stdout, stderr } = spawnSync(join(assets ?? "", "kubectl"), args, { cwd: root, env, encoding: "utf8" });
      return { status, text: stdout + stderr };
    };
    const manifests = ["-k", "deploy/kubernetes"];
    expect(kubectl("apply", ...manifests)).toEqual({ status: 0, text: expect.stringContaining("poddisruptionbudget") });
    expect(kubectl("apply", ...manifests, "--dry-run=server")).toEqual({ status: 0, text: expect.stringContaining("unchanged") });
    expect(kubectl("delete", ...manifests)).toEqual({ status: 0, text: expect.not.stringContaining("NotFound") });
    expect(kubectl("get", "namespace", "example-csi").text).toContain("NotFound");

    const { status, text: token } = kubectl("create", "token", "default");
    expect([status, token.split(".").length]).toEqual([0, 3]);
    expect(kubectl("get", "--raw", "/metrics").text).toContain('apiserver_storage_objects{resource="serviceaccounts"}');

    expect(kubectl("create", "job", "hello", "--image=app").status).toBe(0);
    expect(kubectl("wait", "--for=jsonpath={.status.ready}=1", "job/hello", "--timeout=20s").status).toBe(0);
    expect(kubectl("delete", "job", "hello").status).toBe(0);
    expect(await interrupt(run)).toBe(0);
  }, 60_000);
});
