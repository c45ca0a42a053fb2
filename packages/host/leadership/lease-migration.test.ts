import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Lease } from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { migratedAnnotation, statusAnnotation } from "./migration-marker.ts";
import { attacherLease, consolidated, LeadershipWorld, legacyLeases, namespace, resizerLease } from "./testing/leadership-world.ts";
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

/** `update <name> 200` */
const leaseRequests = async () =>
  (await cluster.requests({ resource: "leases" })).map(({ verb, name, code }) => `${verb} ${verb === "create" ? "" : name} ${code}`);

describe("with legacy leases", () => {
  test("of dead holders: taken after their duration, marked, released, and only then work begins", async () => {
    await world.createLease(attacherLease.name, stale("old-pod"));
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    expect(await world.until("started", () => us.started !== undefined)).toBe(15_000);
    expect(await world.lease(attacherLease.name)).toMatchObject({
      spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 5 },
    });
    expect(await world.lease(resizerLease.name)).toMatchObject({ spec: { holderIdentity: "", leaseTransitions: 5 } });
    expect((await world.lease(consolidated))?.metadata?.annotations).toMatchObject({ [statusAnnotation]: "completed" });
    const writes = (await leaseRequests()).filter((line) => line.startsWith("update"));
    const mark = writes.lastIndexOf(`update ${consolidated} 200`);
    expect(writes.slice(mark).sort()).toEqual(
      [`update ${consolidated} 200`, `update ${attacherLease.name} 200`, `update ${resizerLease.name} 200`].sort(),
    );
    expect(await heldLines(us.registry)).toEqual(legacyLeases.map(({ name }) => `csi_sidecars_legacy_lease_held{lease="${name}"} 0`));
  });

  test("while one is waited for, a seized one carries our own migration identity", async () => {
    await world.createLease(attacherLease.name, stale("old-pod"));
    await world.createLease(resizerLease.name, released);
    world.candidate();
    await world.pass(10_000);
    expect((await world.lease(resizerLease.name))?.spec).toMatchObject({
      holderIdentity: expect.stringMatching(/^pod-a_csi-sidecars_csi-sidecars-driver-example-com_[0-9a-z]+$/),
      leaseDurationSeconds: 60,
      leaseTransitions: 5,
    });
  });

  test("a seized one is renewed while another takes longer than it lasts", async () => {
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
    expect((await world.lease(consolidated))?.metadata?.annotations?.[statusAnnotation]).toBeUndefined();
    expect(await world.lease(resizerLease.name)).toMatchObject({ spec: { holderIdentity: "" } });
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: holder } });
    expect(await heldLines(us.registry)).toEqual([
      `csi_sidecars_legacy_lease_held{lease="${attacherLease.name}"} 1`,
      `csi_sidecars_legacy_lease_held{lease="${resizerLease.name}"} 0`,
    ]);
  });

  test("all of living sidecars: each is named", async () => {
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
    await world.createLease(consolidated, released, { [statusAnnotation]: "completed", [migratedAnnotation]: "attacher,snapshotter" });
    await world.createLease(resizerLease.name, released);
    const us = world.candidate();
    await world.until("started", () => us.started !== undefined);
    expect((await leaseRequests()).filter((line) => line.startsWith("update") && line.includes("external"))).toEqual([
      `update ${resizerLease.name} 200`,
      `update ${resizerLease.name} 200`,
    ]);
    expect((await world.lease(consolidated))?.metadata?.annotations?.[migratedAnnotation]).toBe("attacher,resizer,snapshotter");
  });

  test("mode wait: the consolidated lease is kept, and work begins when the sidecar has gone", async () => {
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
    expect(await heldLines(us.registry)).toContain(`csi_sidecars_legacy_lease_held{lease="${attacherLease.name}"} 1`);
    sidecar.die();
    expect(await world.until("started", () => us.started !== undefined)).toBeLessThanOrEqual(35_000);
    expect(await heldLines(us.registry)).toContain(`csi_sidecars_legacy_lease_held{lease="${attacherLease.name}"} 0`);
    expect(us.end).toBeUndefined();
  });
});

describe("seized by others of the same kind", () => {
  const seizedBy = (holder: string) => stale(holder, { leaseDurationSeconds: 60 });

  test("a predecessor in our election that was killed: taken over at once", async () => {
    await world.createLease(attacherLease.name, seizedBy(`pod-b_csi-sidecars_${consolidated}_abc`));
    const us = world.candidate();
    expect(await world.until("started", () => us.started !== undefined)).toBe(0);
    expect((await world.lease(attacherLease.name))?.spec).toMatchObject({ holderIdentity: "", leaseTransitions: 5 });
  });

  test.each([
    ["a candidate for another lease", "pod-b_csi-sidecars_csi-sidecars-other-driver_abc"],
    ["an earlier version, which did not say for which lease", "pod-b_csi-sidecars_abc"],
  ])("%s: it may be alive, and is waited for", async (_, holder) => {
    await world.createLease(attacherLease.name, seizedBy(holder));
    const us = world.candidate();
    expect(await world.until("started", () => us.started !== undefined)).toBe(60_000);
  });
});

describe("interrupted while seizing", () => {
  test("the answer to a write is lost: the lease is found to be ours, and the migration goes on", async () => {
    await world.createLease(attacherLease.name, released);
    const us = world.candidate({ client: world.client({ loseAnswerTo: attacherLease.name }) });
    expect(await world.until("started", () => us.started !== undefined)).toBe(5_000);
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: "", leaseTransitions: 5 } });
  });

  test("asked to end after the answer to a write was lost: the lease is released all the same", async () => {
    await world.createLease(attacherLease.name, released);
    const us = world.candidate({ client: world.client({ loseAnswerTo: attacherLease.name }) });
    await world.pass(1_000);
    expect((await world.lease(attacherLease.name))?.spec?.holderIdentity).toStartWith("pod-a_csi-sidecars_");
    us.stop.abort();
    await world.settle();
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: "" } });
    expect(us.end).toEqual({ reason: "released" });
  });

  test("a role that names only the consolidated lease: the user learns what to allow", async () => {
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

  test("asked to end: seized leases are released before the consolidated one", async () => {
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

  test("the consolidated lease lost: nothing is marked, seized leases are released, work never begins", async () => {
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
    expect((await world.lease(consolidated))?.metadata?.annotations?.[statusAnnotation]).toBeUndefined();
    await world.pass(120_000);
    expect(await world.lease(attacherLease.name)).toMatchObject({ spec: { holderIdentity: "old-pod" } });
  });

  test("asked to end as a standby: at once, and the lease of the leader is left alone", async () => {
    await world.createLease(consolidated, stale("leader"));
    const us = world.candidate();
    await world.pass(1_000);
    us.stop.abort();
    await world.settle();
    expect(us.end).toEqual({ reason: "cancelled" });
    expect((await leaseRequests()).filter((line) => line.startsWith("update"))).toEqual([]);
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
