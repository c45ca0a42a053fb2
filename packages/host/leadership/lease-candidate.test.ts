import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { Lease, TransportError } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { controllersAnnotation } from "./controllers-annotation.ts";
import { migratedAnnotation, statusAnnotation } from "./migration-marker.ts";
import { attacherLease, consolidated, LeadershipWorld, namespace, resizerLease } from "./testing/leadership-world.ts";
import { blockedText, heldLines, released, stale } from "./testing/lease-cases.ts";

let cluster: Cluster;
let world: LeadershipWorld;
beforeEach(async () => {
  cluster = await startCluster();
  world = new LeadershipWorld(cluster);
});
afterEach(async () => {
  await world.end();
  await cluster[Symbol.asyncDispose]();
});

describe("without legacy sidecars", () => {
  test("a lease that nobody holds: it gets its marker, no legacy lease is created, work begins at once", async () => {
    const us = world.candidate();
    expect(await world.until("started", () => us.started !== undefined)).toBe(0);
    expect((await world.lease(consolidated))?.metadata?.annotations).toEqual({
      [controllersAnnotation]: "attacher,resizer",
      [statusAnnotation]: "completed",
      [migratedAnnotation]: "attacher,resizer",
    });
    expect((await cluster.admin.list(Lease, { namespace })).items.map(({ metadata }) => metadata?.name)).toEqual([consolidated]);
    expect(us.leadership.mayAct()).toBe(true);
    us.stop.abort();
    await world.settle();
    expect(us.end).toEqual({ reason: "released" });
    expect(us.started?.aborted).toBe(true);
  });

  test("a marker from before: each legacy lease is read once before work begins, and none is written", async () => {
    await world.createLease(consolidated, released, { [statusAnnotation]: "completed" });
    await world.createLease(attacherLease.name, released);
    let before: readonly string[] | undefined;
    world.candidate({
      started: () => {
        before = [...world.calls];
      },
    });
    await world.until("started", () => before !== undefined);
    expect(before).toEqual([`get ${consolidated}`, `update ${consolidated}`, `get ${attacherLease.name}`, `get ${resizerLease.name}`]);
    expect(await cluster.requests({ verb: "update", name: /^external/ })).toEqual([]);
    expect((await world.lease(consolidated))?.metadata?.annotations?.[migratedAnnotation]).toBeUndefined();
  });

  test("no migration asked for: legacy leases are ignored, and no marker is set", async () => {
    await world.createLease(attacherLease.name, stale("old-pod"));
    const us = world.candidate({ migration: undefined, controllers: undefined });
    await world.until("started", () => us.started !== undefined);
    await world.pass(120_000);
    expect((await world.lease(consolidated))?.metadata?.annotations).toBeUndefined();
    expect(await cluster.requests({ verb: "get", name: /external/ })).toEqual([]);
  });
});

test("what it waits for: why the lease cannot be acquired comes before who held it last", async () => {
  await world.createLease(consolidated, { holderIdentity: "pod-b", renewTime: "2100-01-01T00:00:00.000000Z", leaseDurationSeconds: 15 });
  const client = world.client();
  let isAway = true;
  let failure = new Error("leases is forbidden");
  const get: typeof client.get = (...call) => (isAway ? Promise.reject(failure) : client.get(...call));
  const { leadership } = world.candidate({ client: { ...client, get } });
  expect(leadership.waitingFor()).toBe("the lease has not been read yet");
  const said = (text: string) => world.until(text, () => leadership.waitingFor() === text);
  await said("the lease cannot be acquired: leases is forbidden");
  isAway = false;
  await said("another replica leads: pod-b");
  isAway = true;
  failure = new TransportError("refused", "https://10.0.0.1: connection refused (address from a file); check that it runs");
  await said("the lease cannot be acquired: the API server is not reached (refused)");
});

test("a legacy lease that was chosen as the consolidated one does not block itself", async () => {
  await world.createLease(attacherLease.name, {});
  const us = world.candidate({ lease: { namespace, name: attacherLease.name } });
  expect(await world.until("started", () => us.started !== undefined)).toBe(0);
  await world.pass(180_000);
  expect(us.end).toBeUndefined();
  expect((await world.lease(attacherLease.name))?.metadata?.annotations?.[migratedAnnotation]).toBe("attacher,resizer");
});

describe("while leading", () => {
  test("a rollback is noticed: the legacy sidecar that came back is named, and the process has to end", async () => {
    const us = world.candidate({ mayRelease: () => false });
    await world.until("started", () => us.started !== undefined);
    await world.pass(90_000);
    expect(us.end).toBeUndefined();
    world.legacySidecar(resizerLease, "rolled-back");
    expect(await world.until("ended", () => us.end !== undefined)).toBeLessThanOrEqual(60_000);
    const text = blockedText(resizerLease.name, "rolled-back", "csi-resizer");
    expect(us.end).toEqual({ reason: "legacy", because: text });
    expect(us.started?.aborted).toBe(true);
    expect(us.terminationLog).toEqual([text]);
    expect(us.events).toContain(`Lease ${consolidated} Warning LegacyLeaseHeld ${text}`);
    expect(await heldLines(us.registry)).toContain(`csi_sidecars_legacy_lease_held{lease="${resizerLease.name}"} 1`);
  });

  test("upgraded, rolled back, upgraded again: the marker does not hide a living sidecar, and is withdrawn", async () => {
    await world.createLease(consolidated, released, { [statusAnnotation]: "completed" });
    world.legacySidecar(attacherLease, "old-pod");
    await world.pass(1_000);
    const us = world.candidate();
    expect(await world.until("ended", () => us.end !== undefined)).toBeLessThanOrEqual(10_000);
    expect(us.end?.reason).toBe("legacy");
    expect(us.started).toBeUndefined();
    expect((await world.lease(consolidated))?.metadata?.annotations).toMatchObject({
      [statusAnnotation]: "completed",
      [migratedAnnotation]: "resizer",
    });
  });

  test("what a dead sidecar left behind after a roll-back is waited for once", async () => {
    await world.createLease(consolidated, released, { [statusAnnotation]: "completed" });
    await world.createLease(attacherLease.name, stale("died"));
    const first = world.candidate();
    expect(await world.until("started", () => first.started !== undefined)).toBe(15_000);
    first.stop.abort();
    await world.settle();
    const second = world.candidate();
    expect(await world.until("started", () => second.started !== undefined)).toBe(0);
    await world.pass(300_000);
    expect(second.end).toBeUndefined();
  });

  test("a lease that was deleted comes back with the marker and the list of components", async () => {
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    await world.pass(1_000);
    await cluster.admin.delete(Lease, { namespace, name: consolidated });
    await world.pass(10_000);
    expect(us.end).toBeUndefined();
    expect((await world.lease(consolidated))?.metadata?.annotations).toEqual({
      [controllersAnnotation]: "attacher,resizer",
      [statusAnnotation]: "completed",
      [migratedAnnotation]: "attacher,resizer",
    });
  });

  test("a second attempt of the same process leads again, with the same metrics", async () => {
    const registry = new Registry();
    const first = world.candidate({ registry });
    await world.until("started", () => first.started !== undefined);
    first.stop.abort();
    await world.settle();
    const second = world.candidate({ registry });
    await world.until("started", () => second.started !== undefined);
    expect(await heldLines(registry)).toHaveLength(2);
  });
});

describe("two Deployments that share a lease by mistake", () => {
  test("the standby warns once about a living leader with other components", async () => {
    const leader = world.candidate({ identity: "pod-b", controllers: ["snapshotter"], migration: undefined });
    await world.until("started", () => leader.started !== undefined);
    const us = world.candidate();
    await world.pass(60_000);
    const warnings = us.log.lines.filter(({ message }) => message.startsWith("Warning: the lease is held"));
    expect(warnings.map(({ fields }) => fields)).toMatchObject([{ holder: "pod-b", theirs: "snapshotter", ours: "attacher,resizer" }]);
    expect(leader.log.lines.filter(({ message }) => message.startsWith("Warning"))).toEqual([]);
  });

  test("a dead leader with other components is no reason to warn", async () => {
    await world.createLease(consolidated, stale("old"), { [controllersAnnotation]: "attacher" });
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    expect(us.log.lines.filter(({ message }) => message.startsWith("Warning"))).toEqual([]);
  });
});
