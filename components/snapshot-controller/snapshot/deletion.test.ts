import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  mergePatch,
  PersistentVolumeClaim,
  snapshotFinalizer,
  type V1VolumeSnapshot,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

import { claimOf, existingContent, inDefault, preProvisioned } from "../testing/objects.ts";
import { contentNameOf, isProtected, isReady, type SnapshotWorld, startSnapshotWorld } from "../testing/snapshot-world.ts";

const backup = inDefault("backup");
const beingDeleted = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";

/** A world with a snapshot that is ready. */
async function withReady(world: SnapshotWorld, policy: "Delete" | "Retain" = "Delete"): Promise<string> {
  await world.addClass({ deletionPolicy: policy });
  await world.addClaim();
  const snapshot = await world.addSnapshot();
  await world.untilContent(snapshot);
  await world.answer(contentNameOf(snapshot));
  await world.untilSnapshot(isReady);
  await world.untilClaim((claim) => !isProtected(claim));
  return contentNameOf(snapshot);
}

const remove = (world: SnapshotWorld) => world.admin.delete(VolumeSnapshot, backup);
const isBeingDeleted = ({ metadata }: V1VolumeSnapshot) => metadata?.deletionTimestamp !== undefined;

describe("a snapshot that is deleted", () => {
  test("takes its content with it, and goes after it", async () => {
    await using world = await startSnapshotWorld();
    const content = await withReady(world);
    await remove(world);
    const left = await world.untilSnapshot(({ metadata }) => !metadata?.finalizers?.includes(snapshotFinalizer.asSource));
    expect(left.metadata?.finalizers).toEqual([snapshotFinalizer.bound]);
    const { metadata } = await world.admin.get(VolumeSnapshotContent, { name: content });
    expect([metadata?.annotations?.[beingDeleted], typeof metadata?.deletionTimestamp]).toEqual(["yes", "string"]);
    await world.letGo(content);
    await world.untilGone(VolumeSnapshot, backup);
    expect(await world.refused()).toEqual([]);
    const requests = (await world.controller.requests()).slice(6);
    expect(requests).toEqual([
      `patch volumesnapshotcontents ${content}`,
      `delete volumesnapshotcontents ${content}`,
      "patch volumesnapshots backup",
      "patch volumesnapshots backup",
    ]);
  });

  test.each(["Delete", "Retain"] as const)("%s: its content is created late, by a process that was killed", async (deletionPolicy) => {
    await using world = await startSnapshotWorld();
    await world.addClass({ deletionPolicy });
    await world.addClaim();
    world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "dies before" });
    const snapshot = await world.addSnapshot();
    await world.untilTrue(() => world.controller.dead);
    await remove(world);
    await world.controller.run();
    await world.untilGone(VolumeSnapshot, backup);
    const name = contentNameOf(snapshot);
    const reference = { ...backup, uid: snapshot.metadata?.uid ?? "" };
    const spec = { deletionPolicy, driver: "driver.example.com", source: { volumeHandle: "h" }, volumeSnapshotRef: reference };
    await world.create(VolumeSnapshotContent, { metadata: { name, finalizers: [snapshotFinalizer.content] }, spec });
    if (deletionPolicy === "Delete") {
      await world.letGo(name);
      await world.untilGone(VolumeSnapshotContent, { name });
    } else {
      await world.witness();
      expect((await world.admin.get(VolumeSnapshotContent, { name })).metadata?.deletionTimestamp).toBeUndefined();
    }
  });

  test("takes its content with it also if the deletion overtakes the finalizers", async () => {
    await using world = await startSnapshotWorld();
    await world.addClass({ deletionPolicy: "Delete" });
    await world.addClaim();
    // As the API server does it: an object is removed that has got finalizers a moment ago.
    const removeNow = () => world.cluster.removeUnderFinalizers(VolumeSnapshot, backup);
    world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "sent", meanwhile: removeNow });
    const snapshot = await world.addSnapshot();
    const name = contentNameOf(snapshot);
    await world.untilTrue(async () => await world.admin.get(VolumeSnapshotContent, { name }).catch(() => undefined));
    await world.letGo(name);
    await world.untilGone(VolumeSnapshotContent, { name });
    await world.untilClaim((claim) => !isProtected(claim));
  });

  test.each(["Delete", "Retain"] as const)(
    "follows its policy also if the deletion ends when it is taken already: %s",
    async (deletionPolicy) => {
      await using world = await startSnapshotWorld();
      const name = await withReady(world, deletionPolicy);
      await world.cluster.removeUnderFinalizers(VolumeSnapshot, backup);
      if (deletionPolicy === "Delete") {
        await world.letGo(name);
        await world.untilGone(VolumeSnapshotContent, { name });
      } else {
        await world.witness();
        expect((await world.admin.get(VolumeSnapshotContent, { name })).metadata?.deletionTimestamp).toBeUndefined();
      }
      await world.untilClaim((claim) => !isProtected(claim));
    },
  );

  test("takes what is taken with it also if its deletion, under our finalizers, is over before the next process starts", async () => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world);
    await world.controller.kill();
    await world.cluster.removeUnderFinalizers(VolumeSnapshot, backup);
    await world.controller.run();
    await world.letGo(name);
    await world.untilGone(VolumeSnapshotContent, { name });
  });

  test("leaves what is taken if somebody has removed our finalizers to keep it", async () => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world);
    await world.controller.kill();
    await world.admin.patch(VolumeSnapshot, backup, mergePatch({ metadata: { finalizers: null } }));
    await remove(world);
    await world.controller.run();
    await world.witness();
    const { metadata } = await world.admin.get(VolumeSnapshotContent, { name });
    expect([metadata?.annotations?.[beingDeleted], metadata?.deletionTimestamp]).toEqual([undefined, undefined]);
    expect((await world.events(name)).filter((event) => event.startsWith("Warning"))).toEqual([]);
  });

  test("leaves a content that is retained, and says so to csi-snapshotter", async () => {
    await using world = await startSnapshotWorld();
    const content = await withReady(world, "Retain");
    await remove(world);
    await world.untilGone(VolumeSnapshot, backup);
    const { metadata } = await world.admin.get(VolumeSnapshotContent, { name: content });
    expect([metadata?.annotations?.[beingDeleted], metadata?.deletionTimestamp]).toEqual(["yes", undefined]);
  });

  test.each(["Delete", "Retain"] as const)("follows the policy that its content has by then: %s", async (policy) => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world, policy === "Delete" ? "Retain" : "Delete");
    await world.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ spec: { deletionPolicy: policy } }));
    const finalizers = policy === "Delete" ? [snapshotFinalizer.asSource, snapshotFinalizer.bound] : undefined;
    if (finalizers) await world.untilSnapshot(({ metadata }) => metadata?.finalizers?.length === 2);
    await remove(world);
    if (policy === "Delete") await world.letGo(name);
    await world.untilGone(VolumeSnapshot, backup);
    const left = await world.admin.list(VolumeSnapshotContent);
    expect(left.items.map(({ metadata }) => metadata?.name)).toEqual(policy === "Delete" ? [] : [name]);
  });

  test("keeps its content if that was to be retained a moment before, though the watch does not show it yet", async () => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world);
    const release = world.controller.holdWatch(VolumeSnapshotContent);
    await world.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ spec: { deletionPolicy: "Retain" } }));
    await remove(world);
    await world.untilGone(VolumeSnapshot, backup);
    release();
    const { metadata } = await world.admin.get(VolumeSnapshotContent, { name });
    expect([metadata?.annotations?.[beingDeleted], metadata?.deletionTimestamp]).toEqual(["yes", undefined]);
  });

  test("takes its content with it if that was to be retained until a moment before", async () => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world, "Retain");
    const release = world.controller.holdWatch(VolumeSnapshotContent);
    await world.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ spec: { deletionPolicy: "Delete" } }));
    await remove(world);
    await world.until(VolumeSnapshotContent, { name }, ({ metadata }) => metadata?.deletionTimestamp);
    release();
    await world.letGo(name);
    await world.untilGone(VolumeSnapshot, backup);
  });

  test("needs neither class nor claim", async () => {
    await using world = await startSnapshotWorld();
    await world.addSnapshot({
      spec: { source: { persistentVolumeClaimName: "none" } },
      metadata: { finalizers: [snapshotFinalizer.asSource] },
    });
    await world.untilSnapshot(({ status }) => status?.error);
    await remove(world);
    await world.untilGone(VolumeSnapshot, backup);
  });

  test("takes a content with it that its status does not name yet", async () => {
    await using world = await startSnapshotWorld();
    await world.addClass();
    await world.addClaim();
    const snapshot = await world.addSnapshot();
    await world.untilContent(snapshot);
    await remove(world);
    await world.letGo(contentNameOf(snapshot));
    await world.untilGone(VolumeSnapshot, backup);
    await world.untilClaim(({ metadata }) => !metadata?.finalizers?.includes(snapshotFinalizer.claim));
  });

  test("leaves contents alone that are bound to others", async () => {
    await using world = await startSnapshotWorld();
    await world.create(VolumeSnapshotContent, existingContent({ spec: { volumeSnapshotRef: { ...backup, uid: "an-earlier-one" } } }));
    await world.addSnapshot({ ...preProvisioned(), metadata: { finalizers: [snapshotFinalizer.asSource, snapshotFinalizer.bound] } });
    await world.untilSnapshot(({ status }) => status?.error?.message?.includes("different snapshot"));
    const before = await world.admin.get(VolumeSnapshotContent, { name: "existing" });
    await remove(world);
    await world.untilGone(VolumeSnapshot, backup);
    const after = await world.admin.get(VolumeSnapshotContent, { name: "existing" });
    expect(after.metadata?.annotations).toEqual(before.metadata?.annotations as never);
    expect(after.metadata?.deletionTimestamp).toBeUndefined();
  });

  test("is kept with its content while that cannot be deleted", async () => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world);
    world.controller.disturb({ verb: "delete", resource: VolumeSnapshotContent, how: "failed", times: 3 });
    await remove(world);
    await world.untilEvent("backup", "Warning SnapshotContentObjectDeleteError: Failed to delete snapshot content API object");
    await world.letGo(name);
    await world.untilGone(VolumeSnapshot, backup);
  });

  test("is marked in its content again after that has failed", async () => {
    await using world = await startSnapshotWorld();
    const name = await withReady(world, "Retain");
    world.controller.disturb({ resource: VolumeSnapshotContent, how: "failed", times: 2 });
    await remove(world);
    await world.untilGone(VolumeSnapshot, backup);
    expect((await world.admin.get(VolumeSnapshotContent, { name })).metadata?.annotations?.[beingDeleted]).toBe("yes");
  });
});

describe("a snapshot that is being restored", () => {
  const source = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "backup" };

  test.each(["is bound", "is deleted"])("stays until the claim %s, and goes at once then", async (how) => {
    // Nothing but the event may bring it back.
    await using world = await startSnapshotWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
    const name = await withReady(world);
    // A process that has not taken the snapshot does not look after it either.
    await world.controller.stop();
    await world.controller.run();
    await world.addClaim({ name: "restored", spec: { dataSource: source, volumeName: undefined as never }, status: { phase: "Pending" } });
    await remove(world);
    await world.untilEvent("backup", "Warning SnapshotDeletePending: Snapshot is being used to restore a PVC");
    await world.witness();
    const pending = await world.untilSnapshot(isBeingDeleted);
    expect(pending.metadata?.finalizers).toEqual([snapshotFinalizer.asSource, snapshotFinalizer.bound]);
    expect((await world.admin.get(VolumeSnapshotContent, { name })).metadata?.annotations?.[beingDeleted]).toBeUndefined();
    if (how === "is deleted") await world.cluster.removeUnderFinalizers(PersistentVolumeClaim, inDefault("restored"));
    else
      await world.admin.patch(PersistentVolumeClaim, inDefault("restored"), mergePatch({ status: claimOf().status }), {
        subresource: "status",
      });
    await world.letGo(name);
    await world.untilGone(VolumeSnapshot, backup);
  });
});

describe("a snapshot of a group", () => {
  const member = { metadata: { finalizers: [snapshotFinalizer.asSource, snapshotFinalizer.inGroup] } };
  const status = { volumeGroupSnapshotName: "all", readyToUse: true };

  test("goes where the kinds of groups are not installed: there are none", async () => {
    await using world = await startSnapshotWorld({ definitions: snapshotDefinitions.slice(0, 3), stopped: true });
    await world.addSnapshot(member);
    await world.admin.patch(VolumeSnapshot, backup, mergePatch({ status }), { subresource: "status" });
    await remove(world);
    await world.controller.run();
    await world.untilGone(VolumeSnapshot, backup);
  });

  test("stays where group snapshots are disabled", async () => {
    await using world = await startSnapshotWorld({ gatesOff: ["CSIVolumeGroupSnapshot"], stopped: true });
    await world.addSnapshot(member);
    await world.admin.patch(VolumeSnapshot, backup, mergePatch({ status }), { subresource: "status" });
    await remove(world);
    await world.controller.run();
    await world.untilEvent("backup", "whether its group snapshot default/all exists is not known, as group snapshots are disabled");
    await world.witness();
    expect((await world.admin.get(VolumeSnapshot, backup)).metadata?.finalizers).toEqual(member.metadata.finalizers);
  });
});
