import { afterEach, describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { Lease } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { controllersAnnotation } from "./other-controllers.ts";
import { attacherLease, consolidated, LeadershipWorld, legacyLeases, namespace, resizerLease } from "./testing/leadership-world.ts";

const status = "migration.csi.k8s.io/status";
const migrated = "migration.csi.k8s.io/controllers";
const stale = (holderIdentity: string, change: object = {}) => ({
  holderIdentity,
  leaseDurationSeconds: 15,
  acquireTime: "2025-12-31T23:00:00.000000Z",
  renewTime: "2025-12-31T23:59:59.000000Z",
  leaseTransitions: 4,
  ...change,
});
const released = stale("", { leaseDurationSeconds: 1 });

let cluster: Cluster;
let world: LeadershipWorld;
async function start(): Promise<LeadershipWorld> {
  cluster = await startCluster();
  world = new LeadershipWorld(cluster);
  return world;
}
/** Whatever a test did, nobody patched a lease: deployed roles do not allow it. */
afterEach(async () => {
  await world.end();
  expect(await cluster.requests({ verb: "patch", resource: "leases" })).toEqual([]);
  await cluster[Symbol.asyncDispose]();
});

const leaseRequests = async () =>
  (await cluster.requests({ resource: "leases" })).map(({ verb, name, code }) => `${verb} ${verb === "create" ? "" : name} ${code}`);
const held = async (registry: Registry) =>
  (await registry.metrics()).split("\n").filter((line) => line.startsWith("csi_sidecars_legacy_lease_held{"));
const blockedText = (name: string, holder: string, sidecar: string) =>
  `legacy leader election lease ${namespace}/${name} is held by "${holder}" and still being renewed: scale down the deployment running the legacy ${sidecar}, then restart`;

describe("without legacy sidecars", () => {
  test("a fresh namespace: the lease gets its marker, no legacy lease is created, work begins at once", async () => {
    await start();
    const us = world.candidate();
    expect(await world.until("started", () => us.started !== undefined)).toBe(0);
    expect((await world.lease(consolidated))?.metadata?.annotations).toEqual({
      [controllersAnnotation]: "attacher,resizer",
      [status]: "completed",
      [migrated]: "attacher,resizer",
    });
    expect((await cluster.admin.list(Lease, { namespace })).items.map(({ metadata }) => metadata?.name)).toEqual([consolidated]);
    expect(us.leadership.mayAct()).toBe(true);
    us.stop.abort();
    await world.settle();
    expect(us.end).toEqual({ reason: "released" });
    expect(us.started?.aborted).toBe(true);
  });

  test("a marker from before: nobody asks for legacy leases before work begins", async () => {
    await start();
    await world.createLease(consolidated, released, { [status]: "completed" });
    let before: readonly string[] | undefined;
    world.candidate({
      started: () => {
        before = [...world.calls];
      },
    });
    await world.until("started", () => before !== undefined);
    expect(before).toEqual([`get ${consolidated}`, `update ${consolidated}`]);
    expect((await leaseRequests()).filter((line) => line.startsWith("update external"))).toEqual([]);
    expect((await world.lease(consolidated))?.metadata?.annotations?.[migrated]).toBeUndefined();
  });

  test("no migration asked for: legacy leases are nobody's business, and no marker is set", async () => {
    await start();
    await world.createLease(attacherLease.name, stale("old-pod"));
    const us = world.candidate({ migration: undefined, controllers: undefined });
    await world.until("started", () => us.started !== undefined);
    await world.pass(120_000);
    expect((await world.lease(consolidated))?.metadata?.annotations).toBeUndefined();
    expect(await cluster.requests({ verb: "get", name: /external/ })).toEqual([]);
  });
});

test("a legacy lease that was chosen as the common one is not in its own way", async () => {
  await start();
  const us = world.candidate({ lease: { namespace, name: attacherLease.name } });
  expect(await world.until("started", () => us.started !== undefined)).toBe(0);
  await world.pass(180_000);
  expect(us.end).toBeUndefined();
  expect((await world.lease(attacherLease.name))?.metadata?.annotations?.[migrated]).toBe("attacher,resizer");
});

describe("with legacy leases", () => {
  test("of dead holders: taken after their duration, marked, given back, and only then work begins", async () => {
    await start();
    await world.createLease(attacherLease.name, stale("old-pod"));
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    expect(await world.until("started", () => us.started !== undefined)).toBe(15_000);
    expect(await world.lease(attacherLease.name)).toMatchObject({
      spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 5 },
    });
    expect(await world.lease(resizerLease.name)).toMatchObject({ spec: { holderIdentity: "", leaseTransitions: 5 } });
    expect((await world.lease(consolidated))?.metadata?.annotations).toMatchObject({ [status]: "completed" });
    const writes = (await leaseRequests()).filter((line) => line.startsWith("update"));
    const mark = writes.lastIndexOf(`update ${consolidated} 200`);
    expect(writes.slice(mark).sort()).toEqual(
      [`update ${consolidated} 200`, `update ${attacherLease.name} 200`, `update ${resizerLease.name} 200`].sort(),
    );
    expect(await held(us.registry)).toEqual(legacyLeases.map(({ name }) => `csi_sidecars_legacy_lease_held{lease="${name}"} 0`));
  });

  test("while one is waited for, a seized one carries our own migration identity", async () => {
    await start();
    await world.createLease(attacherLease.name, stale("old-pod"));
    await world.createLease(resizerLease.name, released);
    world.candidate();
    await world.pass(10_000);
    expect((await world.lease(resizerLease.name))?.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^pod-a_csi-sidecars_[0-9a-z]+$/),
      leaseDurationSeconds: 60,
      leaseTransitions: 5,
    });
  });

  test("a seized one is renewed while another takes longer than it lasts", async () => {
    await start();
    await world.createLease(attacherLease.name, stale("old-pod", { leaseDurationSeconds: 137 }));
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    expect((await world.lease(resizerLease.name))?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 5 });
    expect(us.end).toBeUndefined();
  });

  test.each([
    ["another pod", "old-pod"],
    ["a legacy container of our own pod", "pod-a"],
  ])("of a living sidecar in %s: nothing is marked, everything is given back, the user is told", async (_, holder) => {
    await start();
    world.legacySidecar(attacherLease, holder);
    await world.createLease(resizerLease.name, released);
    await world.pass(1_000);
    const us = world.candidate({ mayRelease: () => false });
    const took = await world.until("ended", () => us.end !== undefined);
    expect(took).toBeLessThanOrEqual(7_000);
    const text = blockedText(attacherLease.name, holder, "csi-attacher");
    expect(us.end).toEqual({ reason: "legacy", because: text });
    expect(us.started).toBeUndefined();
    expect(us.terminationLog).toEqual([text]);
    expect(us.log.lines.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([text]);
    expect(us.events).toContain(`Lease ${consolidated} Warning LegacyLeaseHeld ${text}`);
    expect(await world.lease(consolidated)).toMatchObject({ spec: { holderIdentity: "" } });
    expect((await world.lease(consolidated))?.metadata?.annotations?.[status]).toBeUndefined();
    expect(await world.lease(resizerLease.name)).toMatchObject({ spec: { holderIdentity: "" } });
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: holder } });
    expect(await held(us.registry)).toEqual([
      `csi_sidecars_legacy_lease_held{lease="${attacherLease.name}"} 1`,
      `csi_sidecars_legacy_lease_held{lease="${resizerLease.name}"} 0`,
    ]);
  });

  test("all of living sidecars: each is named", async () => {
    await start();
    world.legacySidecar(attacherLease, "old-1");
    world.legacySidecar(resizerLease, "old-2");
    await world.pass(1_000);
    const us = world.candidate();
    await world.until("ended", () => us.end !== undefined);
    expect(us.terminationLog).toEqual([
      `${blockedText(attacherLease.name, "old-1", "csi-attacher")}\n${blockedText(resizerLease.name, "old-2", "csi-resizer")}`,
    ]);
  });

  test("a component that is added later: only its lease is looked at, and the marker grows", async () => {
    await start();
    await world.createLease(consolidated, released, { [status]: "completed", [migrated]: "attacher,snapshotter" });
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    expect((await leaseRequests()).filter((line) => line.startsWith("update") && line.includes("external"))).toEqual([
      `update ${resizerLease.name} 200`,
      `update ${resizerLease.name} 200`,
    ]);
    expect((await world.lease(consolidated))?.metadata?.annotations?.[migrated]).toBe("attacher,resizer,snapshotter");
  });

  test("mode wait: the consolidated lease is kept, and work begins when the sidecar has gone", async () => {
    await start();
    const sidecar = world.legacySidecar(attacherLease, "old-pod");
    await world.createLease(resizerLease.name, released);
    await world.pass(1_000);
    const us = world.candidate({ migration: { mode: "wait", leases: legacyLeases } });
    await world.pass(188_000);
    expect((await world.lease(resizerLease.name))?.spec?.holderIdentity).toBe("");
    expect([us.started, us.end, us.terminationLog]).toEqual([undefined, undefined, []]);
    expect(us.leadership.mayAct()).toBe(true);
    const errors = us.log.lines.filter(({ severity }) => severity === "error");
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.length).toBeLessThanOrEqual(4);
    expect(errors[0]?.message).toContain(`${namespace}/${attacherLease.name} is held by "old-pod"`);
    expect(await held(us.registry)).toContain(`csi_sidecars_legacy_lease_held{lease="${attacherLease.name}"} 1`);
    sidecar.die();
    expect(await world.until("started", () => us.started !== undefined)).toBeLessThanOrEqual(35_000);
    expect(await held(us.registry)).toContain(`csi_sidecars_legacy_lease_held{lease="${attacherLease.name}"} 0`);
    expect(us.end).toBeUndefined();
  });
});

describe("interrupted while seizing", () => {
  test("the answer to a write is lost: the lease is found to be ours, and the migration goes on", async () => {
    await start();
    await world.createLease(attacherLease.name, released);
    const us = world.candidate({ client: world.client({ loseAnswerTo: attacherLease.name }) });
    expect(await world.until("started", () => us.started !== undefined)).toBe(5_000);
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: "", leaseTransitions: 5 } });
  });

  test("asked to end after the answer to a write was lost: the lease is given back all the same", async () => {
    await start();
    await world.createLease(attacherLease.name, released);
    const us = world.candidate({ client: world.client({ loseAnswerTo: attacherLease.name }) });
    await world.pass(1_000);
    expect((await world.lease(attacherLease.name))?.spec?.holderIdentity).toStartWith("pod-a_csi-sidecars_");
    us.stop.abort();
    await world.settle();
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: "" } });
    expect(us.end).toEqual({ reason: "released" });
  });

  test("a role that names only the consolidated lease: the user is told what to allow", async () => {
    await start();
    const user = cluster.newUser();
    await allowOnly(user.name, consolidated);
    const us = world.candidate({ client: world.client({ token: user.token }) });
    await world.until("ended", () => us.end !== undefined);
    expect(us.end?.reason).toBe("legacy");
    expect(us.terminationLog.join()).toContain(
      `legacy leader election lease ${namespace}/${attacherLease.name} cannot be checked: allow get and update of leases in that namespace, then restart; or set --leader-election-migration=skip`,
    );
    expect(await world.lease(consolidated)).toMatchObject({ spec: { holderIdentity: "" } });
  });

  test("asked to end: seized leases are given back before the consolidated one", async () => {
    await start();
    await world.createLease(attacherLease.name, stale("old-pod"));
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    await world.pass(6_000);
    us.stop.abort();
    await world.settle();
    expect(us.end).toEqual({ reason: "released" });
    expect(us.started).toBeUndefined();
    const last = [`get ${resizerLease.name}`, `update ${resizerLease.name}`, `get ${consolidated}`, `update ${consolidated}`];
    expect(world.calls.slice(-4)).toEqual(last);
    expect(await world.lease(resizerLease.name)).toMatchObject({ spec: { holderIdentity: "" } });
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: stale("old-pod") });
  });

  test("the consolidated lease lost: nothing is marked, seized leases are given back, work never begins", async () => {
    await start();
    await world.createLease(attacherLease.name, stale("old-pod", { leaseDurationSeconds: 60 }));
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    await world.pass(6_000);
    const lease = await world.lease(consolidated);
    await cluster.admin.update(Lease, { ...lease, spec: { ...lease?.spec, holderIdentity: "thief" } });
    await world.until("ended", () => us.end !== undefined);
    expect(us.end).toEqual({ reason: "lost", because: 'the lease is held by "thief"' });
    expect(us.started).toBeUndefined();
    expect(await world.lease(resizerLease.name)).toMatchObject({ spec: { holderIdentity: "" } });
    expect((await world.lease(consolidated))?.metadata?.annotations?.[status]).toBeUndefined();
    await world.pass(120_000);
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: "old-pod" } });
  });

  test("asked to end as a standby: at once, and the lease of the leader is left alone", async () => {
    await start();
    await world.createLease(consolidated, stale("leader"));
    const us = world.candidate();
    await world.pass(1_000);
    us.stop.abort();
    await world.settle();
    expect(us.end).toEqual({ reason: "cancelled" });
    expect((await leaseRequests()).filter((line) => line.startsWith("update"))).toEqual([]);
  });
});

describe("while leading", () => {
  test("a roll-back is noticed: the legacy sidecar that came back is named, and the process has to end", async () => {
    await start();
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
    expect(await held(us.registry)).toContain(`csi_sidecars_legacy_lease_held{lease="${resizerLease.name}"} 1`);
  });

  test("upgraded, rolled back, upgraded again: the marker does not hide a living sidecar for longer than it takes to renew", async () => {
    await start();
    await world.createLease(consolidated, released, { [status]: "completed" });
    world.legacySidecar(attacherLease, "old-pod");
    await world.pass(1_000);
    const us = world.candidate();
    expect(await world.until("ended", () => us.end !== undefined)).toBeLessThanOrEqual(10_000);
    expect(us.end?.reason).toBe("legacy");
  });

  test("what a dead sidecar left behind disturbs nobody, and is looked at once a minute", async () => {
    await start();
    await world.createLease(consolidated, released, { [status]: "completed" });
    await world.createLease(attacherLease.name, stale("died"));
    const us = world.candidate({ migration: { mode: "exit", leases: [attacherLease] } });
    await world.pass(30_000);
    const before = (await cluster.requests({ name: attacherLease.name })).length;
    await world.pass(300_000);
    expect((await cluster.requests({ name: attacherLease.name })).length - before).toBe(5);
    expect(us.end).toBeUndefined();
  });

  test("a lease that was deleted comes back with the marker and the list of components", async () => {
    await start();
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    await world.pass(1_000);
    await cluster.admin.delete(Lease, { namespace, name: consolidated });
    await world.pass(10_000);
    expect(us.end).toBeUndefined();
    expect((await world.lease(consolidated))?.metadata?.annotations).toEqual({
      [controllersAnnotation]: "attacher,resizer",
      [status]: "completed",
      [migrated]: "attacher,resizer",
    });
  });

  test("a second candidacy of the same process leads again, with the same metrics", async () => {
    await start();
    const registry = new Registry();
    const first = world.candidate({ registry });
    await world.until("started", () => first.started !== undefined);
    first.stop.abort();
    await world.settle();
    const second = world.candidate({ registry });
    await world.until("started", () => second.started !== undefined);
    expect(await held(registry)).toHaveLength(2);
  });
});

describe("two Deployments that share a lease by mistake", () => {
  test("the standby warns once about a living leader with other components", async () => {
    await start();
    const leader = world.candidate({ identity: "pod-b", controllers: ["snapshotter"], migration: undefined });
    await world.until("started", () => leader.started !== undefined);
    const us = world.candidate();
    await world.pass(60_000);
    const warnings = us.log.lines.filter(({ message }) => message.startsWith("Warning: the lease is held"));
    expect(warnings.map(({ fields }) => fields)).toMatchObject([{ holder: "pod-b", theirs: "snapshotter", ours: "attacher,resizer" }]);
    expect(leader.log.lines.filter(({ message }) => message.startsWith("Warning"))).toEqual([]);
  });

  test("a dead leader with other components is no reason to warn", async () => {
    await start();
    await world.createLease(consolidated, stale("old"), { [controllersAnnotation]: "attacher" });
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    expect(us.log.lines.filter(({ message }) => message.startsWith("Warning"))).toEqual([]);
  });
});

async function allowOnly(user: string, lease: string): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  const rules = [
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "update"], resourceNames: [lease] },
  ];
  const path = `/apis/${group}/v1/namespaces/${namespace}`;
  await cluster.admin.raw("POST", `${path}/roles`, { metadata: { name: "one-lease" }, rules });
  await cluster.admin.raw("POST", `${path}/rolebindings`, {
    metadata: { name: "one-lease" },
    roleRef: { apiGroup: group, kind: "Role", name: "one-lease" },
    subjects: [{ apiGroup: group, kind: "User", name: user }],
  });
}
