import { expect, test } from "bun:test";
import { VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { existingContent, inDefault, preProvisioned } from "../testing/objects.ts";
import { type SnapshotWorld, startSnapshotWorld } from "../testing/snapshot-world.ts";

const backup = inDefault("backup");
const existing = { name: "existing" };
const beingDeleted = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";

/** What csi-snapshotter waits for: otherwise it would never let the content go. */
async function expectTakenAlong(world: SnapshotWorld): Promise<void> {
  const { metadata } = await world.until(VolumeSnapshotContent, existing, (content) => content.metadata?.deletionTimestamp);
  expect(metadata?.annotations?.[beingDeleted]).toBe("yes");
  await world.letGo("existing");
  await world.untilGone(VolumeSnapshotContent, existing);
  await world.untilGone(VolumeSnapshot, backup);
}

test("a snapshot that is deleted while its content is bound to it takes the content with it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  const remove = () => world.admin.delete(VolumeSnapshot, backup);
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile: remove });
  await world.addSnapshot(preProvisioned());
  await expectTakenAlong(world);
});

test("a snapshot whose content was bound by a process that was killed then takes the content with it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "dies after" });
  await world.addSnapshot(preProvisioned());
  await world.untilTrue(() => world.controller.dead);
  await world.admin.delete(VolumeSnapshot, backup);
  await world.controller.run();
  await expectTakenAlong(world);
});

test("a snapshot whose content is bound by a request that was lost takes the content with it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  let release = () => {};
  const removeUnseen = async () => {
    release = world.controller.holdWatch(VolumeSnapshotContent);
    await world.admin.delete(VolumeSnapshot, backup);
  };
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "lost", meanwhile: removeUnseen });
  await world.addSnapshot(preProvisioned());
  await world.untilTrue(async () => (await world.controller.requests()).includes("get volumesnapshotcontents existing"));
  release();
  await expectTakenAlong(world);
});

test("a snapshot whose content has yet to get its finalizer takes the content with it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  const { metadata } = await world.addSnapshot(preProvisioned());
  const gate = Promise.withResolvers<void>();
  world.controller.disturb({ resource: VolumeSnapshotContent, how: gate.promise });
  const volumeSnapshotRef = { ...backup, uid: metadata?.uid ?? "" };
  await world.create(VolumeSnapshotContent, existingContent({ spec: { volumeSnapshotRef, volumeSnapshotClassName: "gold" } }));
  await world.untilSnapshot(({ status }) => status?.boundVolumeSnapshotContentName);
  await world.admin.delete(VolumeSnapshot, backup);
  await expectTakenAlong(world);
  gate.resolve();
});
