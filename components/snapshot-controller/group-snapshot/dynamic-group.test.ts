import { expect, test } from "bun:test";
import {
  mergePatch,
  PersistentVolumeClaim,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { creationNanoseconds, creationTime } from "../testing/fake-sidecar.ts";
import { inDefault, startGroupWorld } from "../testing/group-world.ts";

test("a group of two claims is taken, and each of its snapshots is bound and ready", async () => {
  await using world = await startGroupWorld();
  const group = await world.readyGroup();
  const uid = group.metadata?.uid ?? "";
  expect(group.metadata?.finalizers).toEqual(["groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection"]);
  expect(group.status).toEqual({ boundVolumeGroupSnapshotContentName: `groupsnapcontent-${uid}`, creationTime, readyToUse: true });
  const [content] = await world.groupContents();
  expect(content?.spec?.source).toEqual({ volumeHandles: ["handle-a", "handle-b"] });
  const snapshots = await world.snapshots();
  expect(snapshots.map(({ spec }) => spec?.source?.persistentVolumeClaimName).sort()).toEqual(["a", "b"]);
  const contents = new Map((await world.contents()).map((each) => [each.metadata?.name, each]));
  for (const { metadata, status } of snapshots) {
    expect(status).toEqual({
      ...{ boundVolumeSnapshotContentName: metadata?.name?.replace("snapshot-", "snapcontent-"), volumeGroupSnapshotName: "group" },
      ...{ creationTime: "2026-01-02T03:04:05Z", readyToUse: true, restoreSize: "1Ki" },
    });
    const member = contents.get(status?.boundVolumeSnapshotContentName);
    expect(member?.spec?.volumeSnapshotRef?.uid).toBe(metadata?.uid);
    expect(member?.status).toEqual({
      ...{
        snapshotHandle: `snapshot-of-${member?.spec?.source?.volumeHandle}`,
        volumeGroupSnapshotHandle: `group-groupsnapcontent-${uid}`,
      },
      ...{ creationTime: creationNanoseconds, restoreSize: 1024, readyToUse: true },
    });
  }
  await world.untilEvent("group", "Normal GroupSnapshotReady: GroupSnapshot default/group is ready to use.");
  expect(await world.events("group")).toEqual([
    "Normal CreatingGroupSnapshot: Waiting for a group snapshot default/group to be created by the CSI driver.",
    "Normal GroupSnapshotCreated: GroupSnapshot default/group was successfully created by the CSI driver.",
    "Normal GroupSnapshotReady: GroupSnapshot default/group is ready to use.",
  ]);
  expect(await world.refused()).toEqual([]);
});

test("a group costs few requests: four, and five for each of its snapshots", async () => {
  await using world = await startGroupWorld();
  await world.readyGroup();
  const requests = (await world.controller.requests()).map((request) => request.split(" ").slice(0, 2).join(" "));
  const counts = new Map<string, number>();
  for (const request of requests) counts.set(request, (counts.get(request) ?? 0) + 1);
  expect(Object.fromEntries(counts)).toEqual({
    "patch volumegroupsnapshots": 1,
    "create volumegroupsnapshotcontents": 1,
    "patch volumegroupsnapshots/status": 2,
    "create volumesnapshots": 2,
    "create volumesnapshotcontents": 2,
    "patch volumesnapshotcontents/status": 2,
    "patch volumesnapshots": 2,
    "patch volumesnapshots/status": 2,
  });
});

test("a group that waits for its class, a claim, a label or the binding of a claim is taken as soon as it is there", async () => {
  await using world = await startGroupWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  await world.addClaim("a", { labels: {}, isBound: false });
  await world.addGroup();
  await world.untilEvent("group", "Warning GetGroupSnapshotClassFailed: failed to get group snapshot class with error");
  await world.addClass();
  await world.untilGroup(({ status }) =>
    status?.error?.message?.includes("label selector app=db for group snapshot not applied to any PVC"),
  );
  await world.admin.patch(PersistentVolumeClaim, inDefault("a"), mergePatch({ metadata: { labels: { app: "db" } } }));
  await world.untilGroup(({ status }) => status?.error?.message?.includes("the PVC a is not yet bound to a PV"));
  await world.bindClaim("a");
  const { status } = await world.untilGroup(({ status }) => status?.readyToUse);
  expect(status?.error).toBeUndefined();
});

test("the default class is noted, and one that comes or goes later is noticed", async () => {
  await using world = await startGroupWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  const isDefault = { "groupsnapshot.storage.kubernetes.io/is-default-class": "true" };
  await world.addClass("one", {}, isDefault);
  await world.addClass("two", {}, isDefault);
  await world.addClaim("a");
  await world.addGroup("group", { source: { selector: { matchLabels: { app: "db" } } } });
  await world.untilEvent(
    "group",
    "Warning SetDefaultGroupSnapshotClassFailed: Failed to set default group snapshot class with error 2 default snapshot classes were found",
  );
  await world.admin.delete(VolumeGroupSnapshotClass, { name: "one" });
  const group = await world.untilGroup(({ status }) => status?.readyToUse);
  expect(group.spec?.volumeGroupSnapshotClassName).toBe("two");
  expect(await world.refused()).toEqual([]);
});

test("secrets of a template that names the group reach the contents of its snapshots", async () => {
  await using world = await startGroupWorld();
  await world.addClass("gold", {
    parameters: {
      "csi.storage.k8s.io/group-snapshotter-secret-name": `secret-of-\${volumegroupsnapshot.name}`,
      "csi.storage.k8s.io/group-snapshotter-secret-namespace": `\${volumegroupsnapshot.namespace}`,
    },
  });
  await world.addClaim("a");
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.readyToUse);
  const [member] = await world.contents();
  expect(member?.metadata?.annotations).toMatchObject({
    "snapshot.storage.kubernetes.io/deletion-secret-name": "secret-of-group",
    "snapshot.storage.kubernetes.io/deletion-secret-namespace": "default",
  });
});

test("what the sidecar knows better of a member is not set back while the group is not ready", async () => {
  await using world = await startGroupWorld();
  world.sidecar.isReady = false;
  await world.addClass();
  await world.addClaim("a");
  await world.addGroup();
  await world.untilTrue(async () => (await world.contents())[0]?.status?.snapshotHandle);
  const name = (await world.contents())[0]?.metadata?.name ?? "";
  await world.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ status: { readyToUse: true } }), { subresource: "status" });
  const [group] = await world.groupContents();
  const ref = { name: group?.metadata?.name ?? "" };
  await world.admin.patch(VolumeGroupSnapshotContent, ref, mergePatch({ metadata: { annotations: { touched: "yes" } } }));
  world.sidecar.isReady = true;
  await world.untilGroup(({ status }) => status?.readyToUse);
  expect((await world.admin.get(VolumeSnapshotContent, { name })).status?.readyToUse).toBe(true);
  const writes = (await world.controller.requests()).filter((request) => request === `patch volumesnapshotcontents/status ${name}`);
  expect(writes).toHaveLength(1);
});

test("a group whose content is lost or bound to another group is no longer ready", async () => {
  await using world = await startGroupWorld();
  await world.readyGroup();
  const [content] = await world.groupContents();
  const ref = { name: content?.metadata?.name ?? "" };
  await world.admin.delete(VolumeGroupSnapshotContent, ref);
  await world.admin.patch(VolumeGroupSnapshotContent, ref, mergePatch({ metadata: { finalizers: null } }));
  await world.untilGroup(({ status }) => status?.readyToUse === false && status.error?.message === "VolumeGroupSnapshotContent is missing");
  await world.untilEvent("group", "Warning GroupSnapshotContentMissing: VolumeGroupSnapshotContent is missing");
  // Another one would be of another time.
  expect(await world.groupContents()).toEqual([]);
});

test("members that are not ready do not protect their claims: the driver has taken them", async () => {
  await using world = await startGroupWorld();
  world.sidecar.isReady = false;
  await world.addClass();
  for (const claim of ["a", "b"]) await world.addClaim(claim);
  await world.addGroup();
  await world.untilTrue(async () => (await world.snapshots()).filter(({ status }) => status?.boundVolumeSnapshotContentName).length === 2);
  world.sidecar.isReady = true;
  await world.untilGroup(({ status }) => status?.readyToUse);
  expect((await world.controller.requests()).filter((request) => request.includes("persistentvolumeclaims"))).toEqual([]);
});
