import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { V1VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import { cachedGroup, cachedGroupContent, cachedVolume } from "../testing/group-objects.ts";
import { memberContent, memberSnapshot, memberStatusChanges, takenMembers } from "./member-objects.ts";

const info = { volumeHandle: "h1", snapshotHandle: "s1", creationTime: 1_700_000_000_123_456_789n, readyToUse: true, restoreSize: 5 };
const taken = { volumeGroupSnapshotHandle: "g1", volumeSnapshotInfoList: [info] };
const hash = createHash("sha256").update("uid-grouph1").digest("hex");

function onlyMember(content: GroupContent = cachedGroupContent({ status: taken }), volume = true) {
  const [member] = takenMembers(cachedGroup(), content, () => (volume ? cachedVolume("a") : undefined));
  if (!member) throw new Error("there is no member");
  return member;
}

test.each<[string, GroupContent["status"]]>([
  ["without a status", undefined],
  ["without snapshots", { ...taken, volumeSnapshotInfoList: [] }],
  ["without a handle", { volumeSnapshotInfoList: [info] }],
])("a content %s has no members yet", (_, status) => {
  expect(takenMembers(cachedGroup(), cachedGroupContent(status && { status }), () => undefined)).toEqual([]);
});

test("the snapshot of a member belongs to the group, and stays as long as it does", () => {
  expect(memberSnapshot(onlyMember())).toEqual({
    metadata: {
      name: `snapshot-${hash}`,
      namespace: "ns",
      finalizers: ["snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection"],
      ownerReferences: [{ apiVersion: "groupsnapshot.storage.k8s.io/v1", kind: "VolumeGroupSnapshot", name: "group", uid: "uid-group" }],
    },
    spec: { source: { persistentVolumeClaimName: "a" } },
  });
});

test("the claim of a volume that is gone is not known", () => {
  expect(memberSnapshot(onlyMember(undefined, false)).spec).toEqual({ source: { persistentVolumeClaimName: "" } });
  expect(memberContent(onlyMember(undefined, false), "u").spec?.sourceVolumeMode).toBeUndefined();
});

test("the content of a member is bound and protected from the start, and has the group's handle, secret, node and policy", () => {
  const metadata = {
    annotations: {
      "groupsnapshot.storage.kubernetes.io/deletion-secret-name": "secret",
      "groupsnapshot.storage.kubernetes.io/deletion-secret-namespace": "vault",
    },
    labels: { "snapshot.storage.kubernetes.io/managed-by": "n1" },
  };
  const content = memberContent(onlyMember(cachedGroupContent({ metadata, status: taken })), "uid-snapshot");
  expect(content).toEqual({
    metadata: {
      name: `snapcontent-${hash}`,
      finalizers: ["snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"],
      labels: { "snapshot.storage.kubernetes.io/managed-by": "n1" },
      annotations: {
        "groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle": "g1",
        "snapshot.storage.kubernetes.io/deletion-secret-name": "secret",
        "snapshot.storage.kubernetes.io/deletion-secret-namespace": "vault",
      },
    },
    spec: {
      deletionPolicy: "Delete",
      driver: "d.example.com",
      source: { volumeHandle: "h1" },
      sourceVolumeMode: "Block",
      volumeSnapshotRef: {
        ...{ apiVersion: "snapshot.storage.k8s.io/v1", kind: "VolumeSnapshot" },
        ...{ name: `snapshot-${hash}`, namespace: "ns", uid: "uid-snapshot" },
      },
    },
  });
});

const all = { snapshotHandle: "s1", volumeGroupSnapshotHandle: "g1", creationTime: info.creationTime, restoreSize: 5, readyToUse: true };

test.each<[string, V1VolumeSnapshotContent["status"], object]>([
  ["no status", undefined, all],
  [
    "a part of it",
    { snapshotHandle: "s1", volumeGroupSnapshotHandle: "g1" },
    { creationTime: all.creationTime, restoreSize: 5, readyToUse: true },
  ],
  ["all of it", all, {}],
  ["something newer", { ...all, readyToUse: false, restoreSize: 7 }, {}],
])("the content of a member has %s", (_, status, changes) => {
  expect(memberStatusChanges(status, onlyMember())).toEqual(changes);
});

test("what the driver has not answered stays absent", () => {
  const bare = {
    volumeGroupSnapshotHandle: "g1",
    volumeSnapshotInfoList: [{ volumeHandle: "h1", snapshotHandle: "s1", readyToUse: false }],
  };
  const changes = memberStatusChanges(undefined, onlyMember(cachedGroupContent({ status: bare })));
  expect(changes).toEqual({ snapshotHandle: "s1", volumeGroupSnapshotHandle: "g1", readyToUse: false });
});
