import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@csi-sidecars/base/testing";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { create, mount, named } from "../testing/requests.ts";

async function controlled() {
  const folder = await mkdtemp(join(tmpdir(), "control-"));
  const unix = join(folder, "control.sock");
  const world = await startWorld({ controlEndpoint: `unix://${unix}`, attach: true, publishedNodes: true });
  return {
    world,
    async ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
      const response = await fetch(`http://control${path}`, { unix, method, body: body === undefined ? undefined : JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

describe("the control endpoint", () => {
  test("shows calls, state and statistics", async () => {
    await using control = await controlled();
    const id = await create(control.world, named("a"));
    expect(await control.ask("GET", "/healthz")).toEqual({ status: 200, body: { ok: true } });
    expect((await control.ask("GET", "/calls?since=0")).body).toMatchObject([{ method: "CreateVolume", code: 0 }]);
    expect((await control.ask("GET", "/calls?since=1")).body).toEqual([]);
    expect((await control.ask("GET", "/state")).body).toMatchObject({ volumes: [{ id, size: "1073741824" }] });
    expect((await control.ask("GET", "/stats")).body).toMatchObject({ calls: { CreateVolume: 1 }, overlaps: 0 });
    await control.ask("DELETE", "/calls");
    expect((await control.ask("GET", "/calls")).body).toEqual([]);
  });

  test("sets and clears rules, and releases calls", async () => {
    await using control = await controlled();
    const { world, ask } = control;
    await ask("PUT", "/rules", [{ method: "CreateVolume", times: 1, action: { hang: true } }]);
    const call = create(world, named("a"));
    const held = await until("the call is held", () => world.driver.held.sequences[0]);
    expect((await ask("POST", `/release/${held}`)).body).toEqual({ released: true });
    await call;
    expect((await ask("GET", "/rules")).body).toMatchObject([{ method: "CreateVolume" }]);
    await ask("DELETE", "/rules");
    expect((await ask("GET", "/rules")).body).toEqual([]);
    expect(await ask("PUT", "/rules", [{ action: {} }])).toEqual({
      status: 400,
      body: { error: "rules: rule 1.method: give the name of an RPC, such as CreateVolume, or *" },
    });
  });

  test("plays scripts", async () => {
    await using control = await controlled();
    const { world, ask } = control;
    const volumeId = await create(world, named("a"));
    const script = async (name: string, ...args: unknown[]) => (await ask("POST", `/script/${name}`, args)).status;
    const seen = async () => (await world.client.controller.controllerGetVolume({ volumeId })).status;
    await world.client.controller.controllerPublishVolume({ volumeId, nodeId: "node-1", volumeCapability: mount() });
    expect(await script("volume.detachExternally", volumeId, "node-1")).toBe(200);
    expect((await seen())?.publishedNodeIds).toEqual([]);
    expect(await script("volume.attachExternally", volumeId, "stranger")).toBe(200);
    expect((await seen())?.publishedNodeIds).toEqual(["stranger"]);
    expect(await script("volume.condition", volumeId, true, "bad")).toBe(200);
    expect((await seen())?.volumeCondition).toEqual({ abnormal: true, message: "bad" });
    expect(await script("volume.resetCondition", volumeId)).toBe(200);
    expect((await seen())?.volumeCondition).toEqual({ abnormal: false, message: "" });
    expect(await script("volume.deleteExternally", volumeId)).toBe(200);
    expect(await outcome(seen())).toStartWith("NotFound");
    expect(await script("capacity.set", "fast", "1Gi")).toBe(200);
    expect((await world.client.controller.getCapacity({ parameters: { kind: "fast" } })).availableCapacity).toBe(1n << 30n);
    expect(await script("probe.notReady", 1)).toBe(200);
    expect((await world.client.identity.probe({})).ready).toBe(false);
    expect(await script("capabilities.set", { attach: false })).toBe(200);
    const attach = world.client.controller.controllerPublishVolume({ volumeId, nodeId: "node-1", volumeCapability: mount() });
    expect(await outcome(attach)).toBe("Unimplemented: unsupported capability PUBLISH_UNPUBLISH_VOLUME");
    expect(await script("node.limit", 3)).toBe(200);
    expect((await world.client.node.nodeGetInfo({})).maxVolumesPerNode).toBe(3n);
    expect(await script("backend.seed", 20, 2)).toBe(200);
    expect(world.driver.state.volumes).toHaveLength(20);
    expect(world.driver.state.snapshots).toHaveLength(2);
  });

  test("plays scripts that change how long things take", async () => {
    await using control = await controlled();
    const { world, ask } = control;
    const script = async (name: string, ...args: unknown[]) => (await ask("POST", `/script/${name}`, args)).status;
    const { controller, groupController, identity } = world.client;
    const sourceVolumeId = await create(world, named("a"));
    const snapshot = async (name: string) => (await controller.createSnapshot({ name, sourceVolumeId })).snapshot?.readyToUse;
    const group = async (name: string) =>
      (await groupController.createVolumeGroupSnapshot({ name, sourceVolumeIds: [sourceVolumeId] })).groupSnapshot?.readyToUse;
    expect(await script("snapshot.readyAfter", { ms: 60_000 })).toBe(200);
    expect(await script("groupSnapshot.readyAfter", 9)).toBe(200);
    expect([await snapshot("late"), await group("late group")]).toEqual([false, false]);
    expect(await script("snapshot.readyAfter", null)).toBe(200);
    expect(await script("groupSnapshot.readyAfter", null)).toBe(200);
    expect([await snapshot("at once"), await group("group at once")]).toEqual([true, true]);

    expect(await script("backend.latency", { Probe: [50, 60] })).toBe(200);
    const started = performance.now();
    await identity.probe({});
    expect(performance.now() - started).toBeGreaterThanOrEqual(49);

    expect(await script("backend.latency", { Probe: 0 })).toBe(200);
    expect(await script("pendingPolicy", "aborted")).toBe(200);
    const creations = await Promise.all(Array.from({ length: 5 }, () => outcome(controller.createVolume(named("b")))));
    expect(creations.filter((text) => text.startsWith("Aborted: an operation is already in progress")).length).toBeGreaterThan(0);
  });

  test.each([
    ["POST", "/script/volume.explode", [], 400, "no script volume.explode; there are volume.condition"],
    ["POST", "/script/constructor", [], 400, "no script constructor; there are volume.condition"],
    ["POST", "/script/node.limit", ["many"], 400, 'expected an integer, not "many"'],
    ["POST", "/script/capabilities.set", [{ fly: true }], 400, "fly: true is no feature"],
    ["POST", "/script/pendingPolicy", ["never"], 400, "use wait or aborted"],
    ["GET", "/nowhere", undefined, 404, "no GET /nowhere"],
  ])("%s %s is refused", async (method, path, body, status, message) => {
    await using control = await controlled();
    const answer = await control.ask(method, path, body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).toContain(JSON.stringify(message).slice(1, -1));
  });

  test("crashes the driver", async () => {
    await using control = await controlled();
    await control.ask("POST", "/crash").catch(() => {});
    expect(await outcome(control.world.client.identity.probe({}, { timeoutMs: 1_000 }))).toStartWith("Unavailable");
  });
});
