import { expect, test } from "bun:test";
import { contentNameOf, isProtected, isReady, startSnapshotWorld } from "../testing/snapshot-world.ts";

test("a dynamic snapshot takes six requests, and no answer is an error", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  const claim = await world.addClaim();
  const snapshot = await world.addSnapshot();
  const name = contentNameOf(snapshot);
  const content = await world.untilContent(snapshot);
  expect(await world.untilClaim(isProtected)).toBeDefined();
  await world.answer(name);
  const ready = await world.untilSnapshot(isReady);
  const released = await world.untilClaim((each) => !isProtected(each));
  expect(released.metadata?.uid).toBe(claim.metadata?.uid ?? "");
  expect(content).toMatchObject({
    metadata: { finalizers: ["snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection"] },
    spec: {
      deletionPolicy: "Delete",
      driver: "csi.example.com",
      source: { volumeHandle: "handle-data" },
      sourceVolumeMode: "Filesystem",
      volumeSnapshotClassName: "gold",
      volumeSnapshotRef: {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshot",
        namespace: "default",
        name: "backup",
        uid: snapshot.metadata?.uid,
      },
    },
  });
  expect(ready.status).toEqual({
    boundVolumeSnapshotContentName: name,
    creationTime: "2020-09-13T12:26:40Z",
    readyToUse: true,
    restoreSize: "1Gi",
  });
  expect(ready.metadata?.finalizers).toEqual([
    "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection",
    "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
  ]);
  await world.witness();
  const requests = (await world.controller.requests()).filter((request) => !request.includes("witness"));
  expect(requests.filter((each) => !each.startsWith("create volumesnapshotcontents"))).toEqual([
    "patch volumesnapshots backup",
    "get persistentvolumeclaims data",
    "update persistentvolumeclaims data",
    "patch volumesnapshots/status backup",
    "update persistentvolumeclaims data",
  ]);
  expect(requests.filter((each) => each.startsWith("create volumesnapshotcontents"))).toHaveLength(2);
  expect(await world.refused()).toEqual([]);
  await world.untilEvent("backup", "Normal SnapshotReady");
  expect((await world.events("backup")).sort()).toEqual([
    "Normal CreatingSnapshot: Waiting for a snapshot default/backup to be created by the CSI driver.",
    "Normal SnapshotCreated: Snapshot default/backup was successfully created by the CSI driver.",
    "Normal SnapshotReady: Snapshot default/backup is ready to use.",
  ]);
});
