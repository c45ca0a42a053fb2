import { describe, expect, test } from "bun:test";
import {
  Event,
  groupSnapshotFinalizer,
  mergePatch,
  PersistentVolumeClaim,
  snapshotAnnotation,
  snapshotFinalizer,
  type V1VolumeGroupSnapshot,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { driverName, type GroupWorld, inDefault, startGroupWorld } from "../testing/group-world.ts";

/** Nothing waits for a backoff: what is noticed is noticed by an event. */
const patient = { flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } };
const boundFinalizer = "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection";

test("a group is deleted with its contents, its snapshots and what is in the storage system", async () => {
  await using world = await startGroupWorld(patient);
  await world.readyGroup();
  expect(world.sidecar.groups.size).toBe(1);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect([[...world.sidecar.groups], world.sidecar.deletedSnapshots]).toEqual([[], []]);
  expect(await world.refused()).toEqual([]);
  expect((await world.controller.requests()).filter((request) => request.startsWith("get"))).toEqual([]);
  // Its snapshots are deleted because the group is: no one is to be warned of that.
  const warnings = (await world.admin.list(Event)).items.filter(({ type }) => type === "Warning");
  expect(warnings.map(({ message }) => message)).toEqual([]);
});

test("what is retained stays, with its contents", async () => {
  await using world = await startGroupWorld(patient);
  await world.addClass("gold", { deletionPolicy: "Retain" });
  await world.addClaim("a");
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.readyToUse);
  await world.deleteGroup();
  await world.untilTrue(async () => (await world.snapshots()).length === 0);
  await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
  const [[content], [member]] = [await world.groupContents(), await world.contents()];
  expect(content?.metadata?.annotations?.["groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted"]).toBe("yes");
  expect([content?.metadata?.deletionTimestamp, member?.metadata?.deletionTimestamp]).toEqual([undefined, undefined]);
  expect(member?.metadata?.annotations?.["snapshot.storage.kubernetes.io/volumesnapshot-being-deleted"]).toBe("yes");
  expect(world.sidecar.groups.size).toBe(1);
});

test("a group that waits for its claims is deleted at once", async () => {
  await using world = await startGroupWorld(patient);
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.error);
  await world.deleteGroup();
  await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
});

test("a group that is deleted while the driver has not taken it leaves nothing", async () => {
  await using world = await startGroupWorld(patient);
  world.sidecar.takes = false;
  await world.addClass();
  await world.addClaim("a");
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect(world.sidecar.groups.size).toBe(0);
});

test("the content of a group that is deleted without a status is found by its name", async () => {
  await using world = await startGroupWorld(patient);
  await world.addClass();
  await world.addClaim("a");
  world.controller.disturb({ resource: VolumeGroupSnapshot, subresource: "status", how: "failed", times: 100 });
  await world.addGroup();
  await world.untilTrue(async () => (await world.groupContents()).length === 1);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
});

describe("a creation whose answer is lost, with the watches behind", () => {
  const lostAnswer = async (lost: (world: GroupWorld) => void) => {
    await using world = await startGroupWorld();
    await world.readyGroup("first");
    await world.deleteGroup("first");
    await world.untilNothingIsLeft();
    lost(world);
    await world.addGroup();
    await world.untilNothingIsLeft();
    // What is in doubt is read, and may not be there.
    const refused = (await world.refused()).filter((request) => !request.startsWith("404 get"));
    expect([[...world.sidecar.groups], refused]).toEqual([[], []]);
  };

  test.each([
    ["the group's content", VolumeGroupSnapshotContent],
    ["a member", VolumeSnapshot],
    ["a member's content", VolumeSnapshotContent],
  ] as const)("%s is found when the group is deleted", async (_, resource) => {
    await lostAnswer((world) => {
      const release = world.controller.holdWatch(resource);
      let isDeleted: Promise<void> | undefined;
      world.controller.disturb({
        ...{ verb: "create", resource, how: "lost" },
        meanwhile: async () => {
          isDeleted ??= world.deleteGroup();
          await isDeleted;
          const looksForIt = async () =>
            (await world.controller.requests()).some((request) => request.startsWith(`get ${resource.plural}`));
          void world.untilTrue(looksForIt).then(() => release());
        },
      });
    });
  });
});

test("a group is not deleted while one of its snapshots is restored, and is when that is over", async () => {
  await using world = await startGroupWorld(patient);
  await world.readyGroup();
  const name = (await world.snapshots())[0]?.metadata?.name ?? "";
  await world.create(PersistentVolumeClaim, {
    metadata: inDefault("restored"),
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "other" },
      dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name },
    },
  });
  await world.untilTrue(async () => {
    await world.deleteGroup();
    return (await world.events("group")).some((event) =>
      event.startsWith(
        `Warning SnapshotDeletePending: Snapshot default/${name} belonging to VolumeGroupSnapshot default/group is being used`,
      ),
    );
  });
  expect((await world.group()).metadata?.finalizers).toEqual([boundFinalizer]);
  await world.admin.patch(PersistentVolumeClaim, inDefault("restored"), mergePatch({ status: { phase: "Bound" } }), {
    subresource: "status",
  });
  await world.untilNothingIsLeft();
});

test("a single member is not deleted without its group", async () => {
  await using world = await startGroupWorld(patient);
  await world.readyGroup();
  const name = (await world.snapshots())[0]?.metadata?.name ?? "";
  await world.admin.delete(VolumeSnapshot, inDefault(name));
  await world.untilEvent(
    name,
    `Warning SnapshotDeletePending: deletion of the individual volume snapshot default/${name} is not allowed as it belongs to group snapshot default/group. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group.`,
  );
  expect((await world.contents()).map(({ metadata }) => metadata?.deletionTimestamp)).toEqual([undefined, undefined]);
  await world.deleteGroup();
  await world.untilNothingIsLeft();
});

test("members with an owner reference of an older version are deleted with their group", async () => {
  await using world = await startGroupWorld(patient);
  const { metadata } = await world.readyGroup();
  const reference = { kind: "VolumeGroupSnapshot", name: "group", uid: metadata?.uid };
  const versions = ["v1beta1", "v1beta2"];
  for (const [i, snapshot] of (await world.snapshots()).entries()) {
    const ownerReferences = [{ ...reference, apiVersion: `groupsnapshot.storage.k8s.io/${versions[i]}` }];
    await world.admin.patch(VolumeSnapshot, inDefault(snapshot.metadata?.name ?? ""), mergePatch({ metadata: { ownerReferences } }));
  }
  await world.deleteGroup();
  await world.untilNothingIsLeft();
});

test("deletions that the server refuses are told, and retried", async () => {
  await using world = await startGroupWorld();
  await world.readyGroup();
  world.controller.disturb({ verb: "delete", resource: VolumeGroupSnapshotContent, how: "refused" });
  world.controller.disturb({ verb: "delete", resource: VolumeSnapshot, how: "refused" });
  await world.deleteGroup();
  await world.untilEvent("group", "Warning GroupSnapshotContentObjectDeleteError: Failed to delete group snapshot content API object");
  await world.untilEvent("group", "Warning SnapshotDeleteError: failed to delete snapshot API object default/snapshot-");
  await world.untilNothingIsLeft();
});

test("a content that belongs to a group of the same name that was deleted before stays", async () => {
  await using world = await startGroupWorld(patient);
  await world.addClass("gold", { deletionPolicy: "Retain" });
  await world.addClaim("a");
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.readyToUse);
  await world.deleteGroup();
  await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
  const [first] = await world.groupContents();
  await world.addGroup();
  const second = await world.untilGroup(({ status }) => status?.readyToUse);
  expect(second.status?.boundVolumeGroupSnapshotContentName).not.toBe(first?.metadata?.name ?? "");
  await world.deleteGroup();
  await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
  expect((await world.groupContents()).map(({ metadata }) => metadata?.deletionTimestamp)).toEqual([undefined, undefined]);
});

test("a content that another process has created, and the watch does not show, goes with its group", async () => {
  await using world = await startGroupWorld();
  world.sidecar.takes = false;
  const group = await world.addGroup();
  await world.untilGroup(({ status }) => status?.error);
  const release = world.controller.holdWatch(VolumeGroupSnapshotContent);
  await world.admin.patch(VolumeGroupSnapshot, inDefault("group"), mergePatch({ metadata: { finalizers: [boundFinalizer] } }));
  await world.create(VolumeGroupSnapshotContent, lateContent(group, "Delete"));
  await world.deleteGroup();
  await world.untilTrue(async () => (await world.groupContents()).every(({ metadata }) => metadata?.deletionTimestamp));
  release();
  await world.untilNothingIsLeft();
});

/** The content of a group snapshot as a process has asked for it that was killed; its request arrives when the group snapshot has gone. */
function lateContent({ metadata }: V1VolumeGroupSnapshot, deletionPolicy: "Delete" | "Retain"): V1VolumeGroupSnapshotContent {
  const { name, namespace, uid } = metadata ?? {};
  return {
    metadata: { name: `groupsnapcontent-${uid}`, finalizers: [groupSnapshotFinalizer.content] },
    spec: {
      ...{ deletionPolicy, driver: driverName, source: { volumeHandles: ["h"] } },
      volumeGroupSnapshotRef: { name, namespace, uid },
    } as never,
  };
}

describe("a content that is created when its group has gone", () => {
  const killedAtCreation = async (world: GroupWorld) => {
    await world.addClass();
    await world.addClaim("a");
    world.controller.disturb({ verb: "create", resource: VolumeGroupSnapshotContent, how: "dies before" });
    const group = await world.addGroup();
    await world.untilTrue(() => world.controller.dead);
    await world.deleteGroup();
    await world.controller.run();
    await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
    return group;
  };

  test("is deleted with what the sidecar has taken for it", async () => {
    await using world = await startGroupWorld();
    const group = await killedAtCreation(world);
    // The controller sees nothing of it before the sidecar has taken it.
    const release = world.controller.holdWatch(VolumeGroupSnapshotContent);
    const content = await world.create(VolumeGroupSnapshotContent, lateContent(group, "Delete"));
    const ref = { name: content.metadata?.name ?? "" };
    await world.until(VolumeGroupSnapshotContent, ref, ({ status }) => status?.volumeGroupSnapshotHandle);
    release("expired");
    await world.untilNothingIsLeft();
    expect([...world.sidecar.groups]).toEqual([]);
  });

  test("stays if it is to be retained", async () => {
    await using world = await startGroupWorld();
    const group = await killedAtCreation(world);
    await world.create(VolumeGroupSnapshotContent, lateContent(group, "Retain"));
    await world.addGroup("witness");
    await world.untilGroup(({ status }) => status?.readyToUse, "witness");
    expect((await world.groupContents()).map(({ metadata }) => metadata?.deletionTimestamp)).toEqual([undefined, undefined]);
  });

  test("is deleted also if the process that let the group go was killed too", async () => {
    await using world = await startGroupWorld();
    world.sidecar.takes = false;
    const group = await killedAtCreation(world);
    await world.controller.kill();
    await world.controller.run();
    await world.create(VolumeGroupSnapshotContent, lateContent(group, "Delete"));
    await world.untilNothingIsLeft();
    expect(world.controller.log.lines.map(({ message }) => message)).toContain(
      "Deleting a content that was created after its snapshot had gone",
    );
  });

  test("is deleted also if the deletion overtakes the finalizer", async () => {
    await using world = await startGroupWorld();
    await world.addClass();
    await world.addClaim("a");
    // As the API server does it: an object is removed that has got finalizers a moment ago.
    const removeNow = () => world.cluster.removeUnderFinalizers(VolumeGroupSnapshot, inDefault("group"));
    world.controller.disturb({ verb: "create", resource: VolumeGroupSnapshotContent, how: "sent", meanwhile: removeNow });
    await world.addGroup();
    await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
    await world.untilNothingIsLeft();
    expect([...world.sidecar.groups]).toEqual([]);
  });
});

test("the content of a group goes too whose deletion ends, without our finalizers, when it is taken already", async () => {
  await using world = await startGroupWorld();
  await world.addClass();
  await world.addClaim("a");
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.readyToUse);
  await world.cluster.removeUnderFinalizers(VolumeGroupSnapshot, inDefault("group"));
  await world.untilTrue(async () => (await world.groupContents()).length === 0);
  expect([...world.sidecar.groups]).toEqual([]);
});

describe("a member's content that is created when its group has gone", () => {
  const killedAtCreation = async (world: GroupWorld, deletionPolicy: "Delete" | "Retain") => {
    await world.addClass("gold", { deletionPolicy });
    await world.addClaim("a");
    world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "dies before" });
    await world.addGroup();
    await world.untilTrue(() => world.controller.dead);
    const [member] = await world.snapshots();
    await world.deleteGroup();
    await world.controller.run();
    await world.untilGone(VolumeSnapshot, inDefault(member?.metadata?.name ?? ""));
    return lateMemberContent(member, deletionPolicy);
  };

  test("is deleted", async () => {
    await using world = await startGroupWorld();
    const late = await killedAtCreation(world, "Delete");
    await world.create(VolumeSnapshotContent, late);
    await world.untilNothingIsLeft();
  });

  test("is deleted also if the process that let the group go was killed too", async () => {
    await using world = await startGroupWorld();
    const late = await killedAtCreation(world, "Delete");
    await world.controller.kill();
    await world.controller.run();
    await world.create(VolumeSnapshotContent, late);
    await world.untilNothingIsLeft();
  });

  test("stays if it is to be retained", async () => {
    await using world = await startGroupWorld();
    const late = await killedAtCreation(world, "Retain");
    await world.create(VolumeSnapshotContent, late);
    await world.addGroup("witness");
    await world.untilGroup(({ status }) => status?.readyToUse, "witness");
    expect((await world.contents()).map(({ metadata }) => metadata?.deletionTimestamp)).toEqual([undefined, undefined]);
  });
});

/** The content of a member as a process has asked for it that was killed. */
function lateMemberContent(member: V1VolumeSnapshot | undefined, deletionPolicy: "Delete" | "Retain"): V1VolumeSnapshotContent {
  const { name = "", namespace, uid } = member?.metadata ?? {};
  return {
    metadata: {
      name: name.replace("snapshot-", "snapcontent-"),
      annotations: { [snapshotAnnotation.groupHandle]: "group-1" },
      finalizers: [snapshotFinalizer.content],
    },
    spec: { deletionPolicy, driver: driverName, source: { volumeHandle: "handle-a" }, volumeSnapshotRef: { name, namespace, uid } },
  };
}
