import { expect, test } from "bun:test";
import { VolumeGroupSnapshot, VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { driverName, type GroupWorld, inDefault, startGroupWorld } from "../testing/group-world.ts";

const content = { name: "content" };
const named = { source: { volumeGroupSnapshotContentName: "content" } };

async function addContent(world: GroupWorld): Promise<void> {
  const source = { groupSnapshotHandles: { volumeGroupSnapshotHandle: "stored", volumeSnapshotHandles: ["s1"] } };
  const spec = { deletionPolicy: "Delete" as const, driver: driverName, source, volumeGroupSnapshotRef: inDefault("group") };
  await world.create(VolumeGroupSnapshotContent, { metadata: content, spec });
}

test("a content is not bound to a group snapshot that was deleted meanwhile", async () => {
  await using world = await startGroupWorld();
  await addContent(world);
  world.controller.disturb({ resource: VolumeGroupSnapshot, how: "sent", meanwhile: () => world.deleteGroup() });
  await world.addGroup("group", named);
  await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
  // What is done for another one is done after it.
  await world.readyGroup("witness");
  expect((await world.admin.get(VolumeGroupSnapshotContent, content)).spec?.volumeGroupSnapshotRef?.uid).toBeUndefined();
});

test("a group snapshot whose content is bound by a request that was lost takes the content with it", async () => {
  await using world = await startGroupWorld();
  await addContent(world);
  let release = () => {};
  const removeUnseen = async () => {
    release = world.controller.holdWatch(VolumeGroupSnapshotContent);
    await world.deleteGroup();
  };
  world.controller.disturb({ resource: VolumeGroupSnapshotContent, how: "lost", meanwhile: removeUnseen });
  await world.addGroup("group", named);
  await world.untilTrue(async () => (await world.controller.requests()).includes("get volumegroupsnapshotcontents content"));
  release();
  await world.untilNothingIsLeft();
});

test("a group snapshot whose content has yet to get its finalizer takes the content with it", async () => {
  await using world = await startGroupWorld();
  const gate = Promise.withResolvers<void>();
  world.controller.disturb(
    { resource: VolumeGroupSnapshotContent, how: "sent" },
    { resource: VolumeGroupSnapshotContent, how: gate.promise },
  );
  await addContent(world);
  await world.addGroup("group", named);
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName);
  await world.until(VolumeGroupSnapshotContent, content, ({ status }) => status?.volumeGroupSnapshotHandle);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect([...world.sidecar.groups]).toEqual([]);
  gate.resolve();
});
