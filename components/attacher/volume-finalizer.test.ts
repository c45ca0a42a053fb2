import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, driverName, finalizer, foreign, volume } from "./testing/manifests.ts";

const release = "patch persistentvolumes pv1";
const inTree = { csi: undefined, gcePersistentDisk: { pdName: "testpd" } };

async function finalizersOf(world: AttacherWorld): Promise<readonly string[] | undefined> {
  return (await world.get(PersistentVolume, "pv1")).metadata?.finalizers;
}

describe("a deleted volume that nobody needs is let go of", () => {
  test.each<[string, Parameters<typeof volume>[0]]>([
    ["a volume", {}],
    ["an in-tree volume", { spec: inTree }],
  ])("%s", async (_what, parts) => {
    await using world = await startWorld({ stopped: true });
    await world.create(PersistentVolume, volume({ ...parts, metadata: { finalizers: [foreign, finalizer, "example.com/b"] } }));
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.run();
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
    expect((await finalizersOf(world))?.filter((each) => each.startsWith("example.com"))).toEqual([foreign, "example.com/b"]);
    expect(await world.requests()).toEqual([release]);
    expect(await world.refused()).toEqual([]);
  });

  test("when it is deleted while we run", async () => {
    await using world = await startWorld();
    await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
    expect(await world.requests()).toEqual([release]);
  });

  test("again, if that failed", async () => {
    await using world = await startWorld();
    world.disturb({ resource: PersistentVolume, how: "refused", times: 2 });
    await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
    expect(await world.requests()).toEqual([release]);
  });

  test("as soon as its last attachment is gone, whoever's it was", async () => {
    await using world = await startWorld();
    await world.create(CSINode, csiNode());
    await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign] } }));
    await world.create(VolumeAttachment, attachment());
    await world.create(VolumeAttachment, attachment({ metadata: { name: "theirs" }, spec: { attacher: "other.example.com" } }));
    await world.until((va) => va.status?.attached);
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.admin.delete(VolumeAttachment, { name: "va" });
    await world.untilGone(VolumeAttachment, "va");
    await world.createAttachment(attachment({ metadata: { name: "last" }, spec: { source: { persistentVolumeName: "none" } } }));
    await world.until((va) => va.status?.attachError, "last");
    expect(await finalizersOf(world)).toContain(finalizer);
    await world.admin.delete(VolumeAttachment, { name: "theirs" });
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
  });

  test("when it is no longer migrated to us", async () => {
    await using world = await startWorld();
    await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] }, spec: inTree }));
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
  });
});

test("volumes in use, others' and those we never had are left alone", async () => {
  await using world = await startWorld({ stopped: true });
  const theirs = "external-attacher/other-example-com";
  const migrated = { annotations: { "pv.kubernetes.io/migrated-to": driverName } };
  await world.create(PersistentVolume, volume({ metadata: { name: "used", finalizers: [finalizer] } }));
  await world.create(PersistentVolume, volume({ metadata: { name: "migrated", finalizers: [finalizer], ...migrated }, spec: inTree }));
  await world.create(PersistentVolume, volume({ metadata: { name: "theirs", finalizers: [theirs] } }));
  await world.create(PersistentVolume, volume({ metadata: { name: "pv1", finalizers: [foreign, finalizer] } }));
  for (const name of ["theirs", "pv1"]) await world.admin.delete(PersistentVolume, { name });
  await world.run();
  await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
  expect(await world.requests()).toEqual([release]);
});
