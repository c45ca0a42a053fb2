import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment, wellKnownAnnotation } from "@csi-sidecars/kube";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, cachedVolume, csiNode, deleted, driverInfo, driverName, finalizer, foreign, volume } from "./testing/objects.ts";
import { needsFinalizerWork, planVolumeFinalizer } from "./volume-finalizer.ts";

const inTree = { csi: undefined, gcePersistentDisk: { pdName: "testpd" } };
const removeFinalizer = "patch persistentvolumes pv1";
const held = { finalizers: [finalizer] };
const annotated = (annotations: Record<string, string>) => ({ metadata: { ...held, annotations }, spec: inTree });

describe("needsFinalizerWork", () => {
  test.each<[string, Parameters<typeof volume>[0], boolean]>([
    ["a plain volume", {}, false],
    ["with our finalizer", { metadata: held }, false],
    ["deleted, without our finalizer", { metadata: { ...deleted, finalizers: [foreign] } }, false],
    ["deleted, with our finalizer", { metadata: { ...held, ...deleted } }, true],
    ["in-tree, never migrated", { metadata: held, spec: inTree }, true],
    ["in-tree, with another annotation", annotated({ other: "x" }), true],
    ["in-tree, migrated to another driver", annotated({ [wellKnownAnnotation.migratedTo]: "other.example.com" }), true],
    ["in-tree, migrated to us", annotated({ [wellKnownAnnotation.migratedTo]: driverName }), false],
    ["in-tree, without our finalizer", { spec: inTree }, false],
  ])("%s", (_what, parts, expected) => {
    expect(needsFinalizerWork(cachedVolume(volume(parts)), driverInfo)).toBe(expected);
  });
});

describe("planVolumeFinalizer", () => {
  const going = { metadata: { ...deleted, finalizers: [foreign, finalizer, "example.com/b"] } };
  const release = {
    step: "release",
    patch: { type: "strategic", body: { metadata: { uid: "uid-of-pv1", "$deleteFromPrimitiveList/finalizers": [finalizer] } } },
  };
  test.each<[string, Parameters<typeof volume>[0], number, object]>([
    ["deleted and unused", going, 0, release],
    ["deleted and attached", going, 1, { step: "none", because: "attached" }],
    ["deleted, without our finalizer", { metadata: deleted }, 0, { step: "none", because: "not held" }],
    ["in use", { metadata: held }, 0, { step: "none", because: "needed" }],
    ["no longer migrated and unused", { metadata: held, spec: inTree }, 0, release],
  ])("%s", (_what, parts, attachments, expected) => {
    expect(planVolumeFinalizer(cachedVolume(volume(parts)), attachments, driverInfo)).toEqual(expected as never);
  });
});

async function finalizersOf(world: AttacherWorld): Promise<readonly string[] | undefined> {
  return (await world.get(PersistentVolume, "pv1")).metadata?.finalizers;
}

describe("our finalizer is removed from a volume that nobody needs", () => {
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
    expect(await world.requests()).toEqual([removeFinalizer]);
    expect(await world.refused()).toEqual([]);
  });

  test("when it is deleted while we run", async () => {
    await using world = await startWorld();
    await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
    expect(await world.requests()).toEqual([removeFinalizer]);
  });

  test("a failure is retried", async () => {
    await using world = await startWorld();
    world.disturb({ resource: PersistentVolume, how: "refused", times: 2 });
    await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.untilTrue(async () => !(await finalizersOf(world))?.includes(finalizer));
    expect(await world.requests()).toEqual([removeFinalizer]);
  });

  test("as soon as its last attachment is gone, of whatever driver", async () => {
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

test("volumes in use, of other drivers and without our finalizer are left alone", async () => {
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
  expect(await world.requests()).toEqual([removeFinalizer]);
});
