import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { mergePatch, PersistentVolumeClaim, snapshotFinalizer, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { inDefault } from "../testing/objects.ts";
import { contentNameOf, isProtected, isReady, type SnapshotWorld, startSnapshotWorld } from "../testing/snapshot-world.ts";

const data = inDefault("data");
const isFree = (claim: Parameters<typeof isProtected>[0]) => !isProtected(claim);

async function begin(world: SnapshotWorld, name = "backup"): Promise<string> {
  const snapshot = await world.addSnapshot({ name });
  await world.untilContent(snapshot);
  return contentNameOf(snapshot);
}

test("two snapshots share the finalizer, and the last one removes it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const [first, second] = [await begin(world), await begin(world, "again")];
  await world.answer(first);
  await world.untilSnapshot(isReady);
  await world.witness();
  expect(isProtected(await world.admin.get(PersistentVolumeClaim, data))).toBe(true);
  await world.answer(second);
  await world.untilClaim(isFree);
  const writes = (await world.controller.requests()).filter((request) => request.endsWith("persistentvolumeclaims data"));
  expect(writes).toEqual(["get persistentvolumeclaims data", "update persistentvolumeclaims data", "update persistentvolumeclaims data"]);
});

test("changes that others make to the claim meanwhile stay", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  const patch = {
    metadata: { labels: { changed: "yes" }, finalizers: [snapshotFinalizer.claim, "example.com/x", "kubernetes.io/pvc-protection"] },
  };
  await world.admin.patch(PersistentVolumeClaim, data, mergePatch(patch));
  await world.answer(content);
  const { metadata } = await world.untilClaim(isFree);
  expect([metadata?.labels?.changed, metadata?.finalizers]).toEqual(["yes", ["example.com/x", "kubernetes.io/pvc-protection"]]);
  expect(await world.refused()).toEqual([]);
  await world.admin.patch(PersistentVolumeClaim, data, mergePatch({ metadata: { finalizers: null } }));
});

test("a conflict is solved by reading again, and is no event", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  const change = () => world.admin.patch(PersistentVolumeClaim, data, mergePatch({ metadata: { labels: { changed: "yes" } } }));
  world.controller.disturb({ verb: "update", resource: PersistentVolumeClaim, how: "sent", meanwhile: change });
  await world.answer(content);
  expect((await world.untilClaim(isFree)).metadata?.labels?.changed).toBe("yes");
  expect((await world.events("backup")).filter((event) => event.startsWith("Warning"))).toEqual([]);
});

test("a finalizer that cannot be removed is reported, and removed later", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  world.controller.disturb({ verb: "update", resource: PersistentVolumeClaim, how: "failed", times: 3 });
  await world.answer(content);
  await world.untilSnapshot(isReady);
  await world.untilEvent("backup", "Warning ErrorPVCFinalizer: Error check and remove PVC Finalizer for VolumeSnapshot");
  await world.untilClaim(isFree);
});

test("a claim that was left protected is released by the next process", async () => {
  await using world = await startSnapshotWorld({ stopped: true });
  await world.addClaim({ metadata: { finalizers: [snapshotFinalizer.claim] } });
  await world.controller.run();
  await world.untilClaim(isFree);
});

test("a claim is protected again where that was lost", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  await world.controller.kill();
  await world.admin.patch(PersistentVolumeClaim, data, mergePatch({ metadata: { finalizers: null } }));
  await world.controller.run();
  await world.untilClaim(isProtected);
  await world.answer(content);
  await world.untilClaim(isFree);
});

test("a snapshot that waits for something does not protect its claim", async () => {
  await using world = await startSnapshotWorld();
  await world.addClaim();
  await world.addSnapshot({ spec: { volumeSnapshotClassName: "none" } });
  await world.untilSnapshot(({ status }) => status?.error);
  expect(isFree(await world.admin.get(PersistentVolumeClaim, data))).toBe(true);
  expect((await world.admin.list(VolumeSnapshotContent)).items).toEqual([]);
});

test("a claim that is deleted waits five minutes for a driver that refuses the snapshot", async () => {
  const clock = new FakeClock(Date.now());
  await using world = await startSnapshotWorld({ clock });
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  await world.answer(content, { readyToUse: false, error: { message: "no snapshots of this volume", time: "2026-01-01T00:00:00Z" } });
  await world.untilSnapshot(({ status }) => status?.error);
  await world.admin.delete(PersistentVolumeClaim, data);
  await world.untilClaim(({ metadata }) => metadata?.deletionTimestamp);
  await world.witness();
  expect(isProtected(await world.admin.get(PersistentVolumeClaim, data))).toBe(true);
  const isGone = async () => {
    await clock.advance(30_000);
    return (await world.admin.list(PersistentVolumeClaim)).items.every(
      ({ metadata }) => metadata?.name !== "data" || isFree({ metadata } as never),
    );
  };
  await world.untilTrue(isGone);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(290_000);
});

test("a claim that is deleted before the driver has refused the snapshot is given up too", async () => {
  const clock = new FakeClock(Date.now());
  await using world = await startSnapshotWorld({ clock });
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  await world.admin.delete(PersistentVolumeClaim, data);
  await world.witness();
  expect(isProtected(await world.admin.get(PersistentVolumeClaim, data))).toBe(true);
  await world.answer(content, { readyToUse: false, error: { message: "no snapshots of this volume", time: "2026-01-01T00:00:00Z" } });
  await world.untilTrue(async () => {
    await clock.advance(30_000);
    return (await world.admin.list(PersistentVolumeClaim)).items.every(
      ({ metadata }) => metadata?.name !== "data" || isFree({ metadata } as never),
    );
  });
});

test("a content that cannot be created does not keep the claim", async () => {
  await using world = await startSnapshotWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  await world.addClass();
  await world.addClaim();
  world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "refused", times: 100 });
  await world.addSnapshot();
  await world.untilEvent("backup", "Warning CreateSnapshotContentFailed");
  await world.untilClaim(isFree);
});

test("a claim that takes the place of another one is not taken for it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const content = await begin(world);
  await world.cluster.removeUnderFinalizers(PersistentVolumeClaim, data);
  await world.create(PersistentVolumeClaim, {
    metadata: data,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
  });
  await world.answer(content);
  await world.untilSnapshot(isReady);
  await world.untilClaim(isFree);
  await world.witness();
  expect(isFree(await world.admin.get(PersistentVolumeClaim, data))).toBe(true);
});
