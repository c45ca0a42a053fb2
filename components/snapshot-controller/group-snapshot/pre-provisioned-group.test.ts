import { expect, test } from "bun:test";
import {
  mergePatch,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { creationTime } from "../testing/fake-sidecar.ts";
import { driverName, type GroupWorld, inDefault, startGroupWorld } from "../testing/group-world.ts";

/** Nothing waits for a backoff: what is noticed is noticed by an event. */
const patient = { flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } };
const named = { source: { volumeGroupSnapshotContentName: "content" } };
const handles = { volumeGroupSnapshotHandle: "stored", volumeSnapshotHandles: ["s1"] };

async function addContent(
  world: GroupWorld,
  ref: object = {},
  spec: object = { source: { groupSnapshotHandles: handles } },
): Promise<void> {
  await world.create(VolumeGroupSnapshotContent, {
    metadata: { name: "content" },
    spec: { deletionPolicy: "Delete", driver: driverName, volumeGroupSnapshotRef: { ...inDefault("group"), ...ref }, ...spec } as never,
  });
}

/** The content and the snapshot of a member, with what ListSnapshots tells the sidecar. */
async function addMember(world: GroupWorld): Promise<void> {
  await world.create(VolumeSnapshotContent, {
    metadata: { name: "member" },
    spec: { deletionPolicy: "Delete", driver: driverName, source: { snapshotHandle: "s1" }, volumeSnapshotRef: inDefault("member") },
  });
  await world.create(VolumeSnapshot, { metadata: inDefault("member"), spec: { source: { volumeSnapshotContentName: "member" } } });
  const status = { snapshotHandle: "s1", volumeGroupSnapshotHandle: "stored", readyToUse: true, creationTime: 1 };
  await world.admin.patch(VolumeSnapshotContent, { name: "member" }, mergePatch({ status }), { subresource: "status" });
}

test("a content that is named is bound when it is there, and gets the class of the group", async () => {
  await using world = await startGroupWorld(patient);
  await world.addClass();
  await world.addGroup("group", { ...named, volumeGroupSnapshotClassName: "gold" });
  await world.untilEvent("group", "Warning GroupSnapshotContentMissing: VolumeGroupSnapshotContent is missing");
  await addContent(world);
  const group = await world.untilGroup(({ status }) => status?.readyToUse);
  expect(group.status).toEqual({ boundVolumeGroupSnapshotContentName: "content", creationTime, readyToUse: true });
  const content = await world.until(VolumeGroupSnapshotContent, { name: "content" }, ({ metadata }) => metadata?.finalizers);
  expect(content.metadata?.finalizers).toEqual(["groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection"]);
  expect(content.spec?.volumeGroupSnapshotRef?.uid).toBe(group.metadata?.uid);
  expect(content.spec?.volumeGroupSnapshotClassName).toBe("gold");
  expect([await world.snapshots(), await world.refused()]).toEqual([[], []]);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect([...world.sidecar.groups]).toEqual([]);
});

test("a content without a class stays without one", async () => {
  await using world = await startGroupWorld(patient);
  await addContent(world);
  await world.addGroup("group", named);
  await world.untilGroup(({ status }) => status?.readyToUse);
  expect((await world.groupContents())[0]?.spec?.volumeGroupSnapshotClassName).toBeUndefined();
});

test("snapshots that the user has made for the members join the group, and go with it", async () => {
  await using world = await startGroupWorld(patient);
  await addContent(world);
  await world.addGroup("group", named);
  const { metadata } = await world.untilGroup(({ status }) => status?.readyToUse);
  await addMember(world);
  const member = await world.until(VolumeSnapshot, inDefault("member"), ({ metadata }) => metadata?.ownerReferences);
  expect(member.status?.volumeGroupSnapshotName).toBe("group");
  const owner = { apiVersion: "groupsnapshot.storage.k8s.io/v1", kind: "VolumeGroupSnapshot", name: "group", uid: metadata?.uid };
  expect(member.metadata?.ownerReferences).toEqual([owner as never]);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect(world.sidecar.deletedSnapshots).toEqual([]);
});

test("a snapshot that is there before its group is waits for the group, and joins it", async () => {
  await using world = await startGroupWorld(patient);
  await addMember(world);
  await world.untilEvent("member", "cannot find the group snapshot for VolumeSnapshot [default/member]");
  const { metadata } = await world.admin.get(VolumeSnapshot, inDefault("member"));
  expect(metadata?.finalizers).toHaveLength(2);
  expect((await world.contents())[0]?.spec?.volumeSnapshotRef?.uid).toBe(metadata?.uid ?? "");
  await addContent(world);
  await world.addGroup("group", named);
  await world.until(VolumeSnapshot, inDefault("member"), ({ metadata }) => metadata?.ownerReferences);
});

test("a snapshot that is ready before its group exists joins it when that is bound", async () => {
  await using world = await startGroupWorld(patient);
  await addContent(world);
  const status = { volumeGroupSnapshotHandle: "stored", readyToUse: true, creationTime };
  await world.admin.patch(VolumeGroupSnapshotContent, { name: "content" }, mergePatch({ status }), { subresource: "status" });
  await addMember(world);
  await world.until(VolumeSnapshot, inDefault("member"), ({ status }) => status?.readyToUse && status.volumeGroupSnapshotName);
  await world.addGroup("group", named);
  await world.until(VolumeSnapshot, inDefault("member"), ({ metadata }) => metadata?.ownerReferences);
});

test("a group that names a missing class is bound when that is created", async () => {
  await using world = await startGroupWorld(patient);
  await addContent(world);
  await world.addGroup("group", { ...named, volumeGroupSnapshotClassName: "gold" });
  await world.untilEvent("group", "Warning GetGroupSnapshotClassFailed");
  await world.addClass();
  await world.untilGroup(({ status }) => status?.readyToUse);
});

test("a content is not bound with the class of another driver, and is when that is replaced", async () => {
  await using world = await startGroupWorld(patient);
  await world.addClass("gold", { driver: "other.example.com" });
  await addContent(world);
  await world.addGroup("group", { ...named, volumeGroupSnapshotClassName: "gold" });
  await world.untilEvent(
    "group",
    "Warning GroupSnapshotBindFailed: GroupSnapshot failed to bind VolumeGroupSnapshotContent, VolumeGroupSnapshotContent content is of CSI driver d.example.com, VolumeGroupSnapshotClass gold of other.example.com",
  );
  const [content] = await world.groupContents();
  expect([content?.spec?.volumeGroupSnapshotRef?.uid, content?.spec?.volumeGroupSnapshotClassName]).toEqual([undefined, undefined]);
  await world.admin.delete(VolumeGroupSnapshotClass, { name: "gold" });
  await world.addClass();
  expect((await world.untilGroup(({ status }) => status?.readyToUse)).status?.error).toBeUndefined();
});

test.each<[string, namespace: string, driver: string]>([
  ["another driver", "default", "other.example.com"],
  ["a group in another namespace", "elsewhere", driverName],
])("a snapshot does not join a group that has its handle by chance: that of %s", async (_, namespace, driver) => {
  await using world = await startGroupWorld();
  await world.readyGroup();
  await world.create(VolumeGroupSnapshotContent, {
    metadata: { name: "foreign" },
    spec: {
      ...{ deletionPolicy: "Delete", driver, source: { groupSnapshotHandles: handles } },
      volumeGroupSnapshotRef: { name: "group", namespace, uid: "of-another-group" },
    },
  });
  await world.until(VolumeGroupSnapshotContent, { name: "foreign" }, ({ status }) => status?.volumeGroupSnapshotHandle);
  await world.create(VolumeSnapshotContent, {
    metadata: { name: "single" },
    spec: { deletionPolicy: "Delete", driver: driverName, source: { snapshotHandle: "s1" }, volumeSnapshotRef: inDefault("single") },
  });
  await world.create(VolumeSnapshot, { metadata: inDefault("single"), spec: { source: { volumeSnapshotContentName: "single" } } });
  const status = { snapshotHandle: "s1", volumeGroupSnapshotHandle: "stored", readyToUse: true, creationTime: 1 };
  await world.admin.patch(VolumeSnapshotContent, { name: "single" }, mergePatch({ status }), { subresource: "status" });
  await world.until(VolumeSnapshot, inDefault("single"), ({ status }) => status?.readyToUse || status?.error);
  await world.deleteGroup();
  await world.untilTrue(async () => (await world.snapshots()).length === 1);
  const { metadata } = await world.admin.get(VolumeSnapshot, inDefault("single"));
  expect([metadata?.ownerReferences, metadata?.deletionTimestamp]).toEqual([undefined, undefined]);
});

test.each<[string, (world: GroupWorld) => Promise<void>, event: string]>([
  [
    "is to be taken by the driver",
    (world) => addContent(world, {}, { source: { volumeHandles: ["h"] } }),
    "Warning GroupSnapshotContentMismatch: VolumeGroupSnapshotContent is dynamically provisioned while expecting a pre-provisioned one",
  ],
  [
    "belongs to another group",
    (world) => addContent(world, { name: "another" }),
    "Warning GroupSnapshotContentMisbound: VolumeGroupSnapshotContent [content] is bound to a different group snapshot",
  ],
  [
    "belongs to a group of that name that was deleted",
    (world) => addContent(world, { uid: "before" }),
    "Warning GroupSnapshotContentMisbound: VolumeGroupSnapshotContent [content] is bound to a different group snapshot",
  ],
  [
    "has another class",
    (world) => addContent(world, {}, { source: { groupSnapshotHandles: handles }, volumeGroupSnapshotClassName: "silver" }),
    "Warning GroupSnapshotBindFailed: GroupSnapshot failed to bind VolumeGroupSnapshotContent, VolumeGroupSnapshotContent",
  ],
])("a content that %s is refused", async (_, add, event) => {
  await using world = await startGroupWorld();
  await world.addClass();
  await add(world);
  await world.addGroup("group", { ...named, volumeGroupSnapshotClassName: "gold" });
  await world.untilEvent({ kind: "VolumeGroupSnapshot", name: "group" }, event);
  await world.untilGroup(({ status }) => status?.readyToUse === false && event.includes(status.error?.message?.slice(0, 60) ?? "?"));
  expect((await world.groupContents())[0]?.spec?.volumeGroupSnapshotRef?.uid ?? "").not.toBe((await world.group()).metadata?.uid);
});

test("a content that is bound by its user is protected, and one that names no source is told of", async () => {
  await using world = await startGroupWorld(patient);
  world.sidecar.takes = false;
  await addContent(world, { uid: "of-a-group-that-is-restored-later" });
  await world.until(VolumeGroupSnapshotContent, { name: "content" }, ({ metadata }) => metadata?.finalizers?.length === 1);
  expect((await world.groupContents())[0]?.metadata?.deletionTimestamp).toBeUndefined();
  await world.create(VolumeGroupSnapshotContent, {
    metadata: { name: "empty" },
    spec: { deletionPolicy: "Delete", driver: driverName, source: { volumeHandles: [] }, volumeGroupSnapshotRef: inDefault("group") },
  });
  await world.untilEvent(
    "empty",
    "Warning GroupContentValidationError: Exactly one of GroupSnapshotHandles and VolumeHandles should be specified",
  );
});

test("others who write the group or its content at the same time are no news", async () => {
  await using world = await startGroupWorld();
  await addContent(world);
  world.controller.disturb({ resource: VolumeGroupSnapshot, how: "conflict", times: 2 });
  world.controller.disturb({ resource: VolumeGroupSnapshotContent, how: "conflict", times: 2 });
  await world.addGroup("group", named);
  const { status } = await world.untilGroup(({ status }) => status?.readyToUse);
  expect(status?.error).toBeUndefined();
  expect((await world.events({ kind: "VolumeGroupSnapshot", name: "group" })).filter((event) => event.startsWith("Warning"))).toEqual([]);
});

test("a group whose status or finalizers cannot be written says so", async () => {
  await using world = await startGroupWorld();
  await addContent(world);
  world.controller.disturb({ resource: VolumeGroupSnapshot, how: "refused" });
  world.controller.disturb({ resource: VolumeGroupSnapshot, subresource: "status", how: "refused" });
  await world.addGroup("group", named);
  await world.untilEvent("group", "Warning GroupSnapshotFinalizerError: Failed to check and update group snapshot: mock error");
  await world.untilEvent("group", "Warning GroupSnapshotStatusUpdateFailed: GroupSnapshot status update failed, mock error");
  await world.untilGroup(({ status }) => status?.readyToUse && !status.error);
});
