import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  Node,
  snapshotFinalizer,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { driverName, inDefault, startGroupWorld } from "../testing/group-world.ts";
import { upstreamRole } from "../testing/upstream-role.ts";

const owner = { apiVersion: "groupsnapshot.storage.k8s.io/v1", kind: "VolumeGroupSnapshot", name: "gone", uid: "gone" };
const memberOfGone = {
  metadata: { ...inDefault("member"), ownerReferences: [owner], finalizers: [snapshotFinalizer.inGroup, snapshotFinalizer.asSource] },
  spec: { source: { persistentVolumeClaimName: "" } },
};

test("groups are served from the moment that their kinds are installed, without a restart", async () => {
  await using world = await startGroupWorld({ withoutGroupKinds: true });
  await world.untilTrue(() => world.controller.log.lines.some(({ message }) => message.includes("Waiting for CustomResourceDefinitions")));
  await installDefinitions(world.admin, snapshotDefinitions.slice(3));
  await world.addClass();
  await world.addClaim("a");
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName);
});

test("a snapshot of a group is deleted where the kinds of groups are not installed", async () => {
  await using world = await startGroupWorld({ withoutGroupKinds: true });
  await world.create(VolumeSnapshot, memberOfGone);
  await world.admin.delete(VolumeSnapshot, inDefault("member"));
  await world.untilGone(VolumeSnapshot, inDefault("member"));
});

test("a snapshot whose group is gone is deleted", async () => {
  await using world = await startGroupWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  await world.create(VolumeSnapshot, memberOfGone);
  await world.admin.delete(VolumeSnapshot, inDefault("member"));
  await world.untilGone(VolumeSnapshot, inDefault("member"));
});

test("without the feature nothing is done for groups, and single snapshots are served", async () => {
  await using world = await startGroupWorld({ gatesOff: ["CSIVolumeGroupSnapshot"] });
  await world.addClass();
  await world.addClaim("a");
  await world.addGroup();
  await world.create(VolumeSnapshotContent, {
    metadata: { name: "single" },
    spec: { deletionPolicy: "Retain", driver: driverName, source: { snapshotHandle: "s" }, volumeSnapshotRef: inDefault("single") },
  });
  await world.create(VolumeSnapshot, { metadata: inDefault("single"), spec: { source: { volumeSnapshotContentName: "single" } } });
  await world.until(VolumeSnapshot, inDefault("single"), ({ status }) => status?.boundVolumeSnapshotContentName);
  expect([await world.groupContents(), (await world.group()).status]).toEqual([[], undefined]);
  expect(await world.refused()).toEqual([]);
});

test("the content of a group and those of its snapshots are labelled with the node of their volumes", async () => {
  await using world = await startGroupWorld({ flags: { enableDistributedSnapshotting: true } });
  for (const name of ["n1", "n2"]) await world.create(Node, { metadata: { name, labels: { zone: name } } });
  const onNodes = (...values: string[]) => ({
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values }] }] } },
  });
  await world.addClass();
  await world.addClaim("a", { volume: onNodes("n1", "n2") });
  await world.addClaim("b", { volume: onNodes("n2") });
  await world.addGroup();
  await world.untilGroup(({ status }) => status?.readyToUse);
  const labels = [...(await world.groupContents()), ...(await world.contents())].map(({ metadata }) => metadata?.labels);
  expect(labels).toEqual(Array(3).fill({ "snapshot.storage.kubernetes.io/managed-by": "n2" }));
  await world.addClaim("c", { labels: { app: "far" }, volume: onNodes("n3") });
  await world.addGroup("far", { source: { selector: { matchLabels: { app: "far" } } }, volumeGroupSnapshotClassName: "gold" });
  await world.untilEvent("far", "Warning GroupSnapshotNodeMissing: No node matches the node affinity of all volumes of the group (pv-c)");
});

test("operations on groups are measured, and none stays open", async () => {
  await using world = await startGroupWorld();
  await world.readyGroup();
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  world.sidecar.takes = false;
  await world.addGroup("never");
  await world.untilGroup(({ status }) => status?.boundVolumeGroupSnapshotContentName, "never");
  await world.deleteGroup("never");
  await world.untilGone(VolumeGroupSnapshot, inDefault("never"));
  const count = (operation: string, status: string) =>
    `snapshot_controller_operation_total_seconds_count{driver_name="${driverName}",operation_name="${operation}",operation_status="${status}",snapshot_type="dynamic"} `;
  await world.untilTrue(async () => (await world.controller.metrics()).includes(`${count("DeleteGroupSnapshot", "success")}2`));
  const metrics = await world.controller.metrics();
  for (const operation of ["CreateGroupSnapshot", "CreateGroupSnapshotAndReady"]) {
    expect(metrics).toContain(`${count(operation, "success")}1`);
    expect(metrics).toContain(`${count(operation, "cancel")}1`);
  }
  await world.untilTrue(async () => (await world.controller.metrics()).includes("snapshot_controller_operations_in_flight 0"));
});

test("a group that names no usable volumes is refused", async () => {
  await using world = await startGroupWorld();
  await world.addClass();
  await world.addClaim("a");
  await world.addClaim("b", { driver: "other.example.com" });
  await world.addGroup();
  const mismatch = "Volume CSI driver (other.example.com) mismatch with VolumeGroupSnapshotClass (d.example.com) default/group: pv-b";
  await world.untilEvent("group", `Warning CreateGroupSnapshotContentFailed: ${mismatch}`);
  await world.untilEvent(
    "group",
    `Warning GroupSnapshotContentCreationFailed: failed to create group snapshot content with error snapshot controller failed to update default/group on API server: ${mismatch}`,
  );
  expect(await world.groupContents()).toEqual([]);
});

test("a content that cannot be created is told of, and created when it can be", async () => {
  await using world = await startGroupWorld();
  await world.addClass();
  await world.addClaim("a");
  world.controller.disturb({ verb: "create", resource: VolumeGroupSnapshotContent, how: "refused" });
  await world.addGroup();
  await world.untilEvent(
    "group",
    "Warning CreateGroupSnapshotContentFailed: Error creating volume group snapshot content object for group snapshot default/group: mock error.",
  );
  await world.untilGroup(({ status }) => status?.readyToUse && !status.error);
});

test("upstream's published role is enough for groups", async () => {
  await using world = await startGroupWorld({ role: upstreamRole });
  await world.readyGroup();
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect(await world.refused()).toEqual([]);
});
