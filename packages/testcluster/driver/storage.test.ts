import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { type Preset, presets } from "./capabilities.ts";
import { startScriptedDriver } from "./scripted-driver.ts";
import { clientOf, create, failureOf, GiB, manyWriters, writer } from "./testing/driver-client.ts";

test("a name means one volume: the same request again gives it, another one is refused", async () => {
  await using driver = await startScriptedDriver();
  using client = clientOf(driver);
  const { volume } = await client.controller.createVolume(create("a", 2n * GiB));
  expect((await client.controller.createVolume(create("a"))).volume).toEqual(volume);
  expect((await failureOf(client.controller.createVolume(create("a", 3n * GiB)))).codeName).toBe("AlreadyExists");
  await client.controller.deleteVolume({ volumeId: volume!.volumeId });
  await client.controller.deleteVolume({ volumeId: volume!.volumeId });
  expect(driver.volumes.size).toBe(0);
});

test("a volume for one writer is published to one node at a time", async () => {
  await using driver = await startScriptedDriver({ volumes: [{ id: "v" }], nodes: ["n1", "n2"] });
  using client = clientOf(driver);
  const publish = (nodeId: string, volumeCapability = writer) =>
    client.controller.controllerPublishVolume({ volumeId: "v", nodeId, volumeCapability });
  await publish("n1");
  await publish("n1");
  expect((await failureOf(publish("n2"))).codeName).toBe("FailedPrecondition");
  expect((await failureOf(publish("n3"))).codeName).toBe("NotFound");
  expect((await failureOf(client.controller.deleteVolume({ volumeId: "v" }))).codeName).toBe("FailedPrecondition");
  await publish("n2", manyWriters);
  expect(driver.publishedTo("v")).toEqual(["n1", "n2"]);
  const { entries } = await client.controller.listVolumes({});
  expect(entries.map(({ volume, status }) => [volume?.volumeId, status?.publishedNodeIds])).toEqual([["v", ["n1", "n2"]]]);
  await client.controller.controllerUnpublishVolume({ volumeId: "v", nodeId: "n1" });
  await client.controller.controllerUnpublishVolume({ volumeId: "v", nodeId: "n1" });
  await client.controller.controllerUnpublishVolume({ volumeId: "never-was", nodeId: "n1" });
  expect(driver.publishedTo("v")).toEqual(["n2"]);
});

test("lists come in pages", async () => {
  await using driver = await startScriptedDriver({ volumes: ["a", "b", "c", "d", "e"].map((id) => ({ id })) });
  using client = clientOf(driver);
  const pages: string[][] = [];
  let startingToken = "";
  do {
    const { entries, nextToken } = await client.controller.listVolumes({ maxEntries: 2, startingToken });
    pages.push(entries.map(({ volume }) => volume!.volumeId));
    startingToken = nextToken;
  } while (startingToken !== "");
  expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect((await failureOf(client.controller.listVolumes({ startingToken: "9" }))).codeName).toBe("Aborted");
});

test("the pool empties and fills", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", poolBytes: 4n * GiB, maximumVolumeBytes: 3n * GiB });
  using client = clientOf(driver);
  const { volume } = await client.controller.createVolume(create("a", 3n * GiB));
  expect(await client.controller.getCapacity({})).toMatchObject({ availableCapacity: GiB, maximumVolumeSize: 3n * GiB });
  expect((await failureOf(client.controller.createVolume(create("b", 2n * GiB)))).codeName).toBe("ResourceExhausted");
  expect((await failureOf(client.controller.createVolume(create("c", 4n * GiB)))).codeName).toBe("OutOfRange");
  await client.controller.deleteVolume({ volumeId: volume!.volumeId });
  expect(await client.controller.getCapacity({})).toMatchObject({ availableCapacity: 4n * GiB });
});

test("volumes are expanded and modified, and node expansion is required", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", volumes: [{ id: "v", capacityBytes: GiB }] });
  using client = clientOf(driver);
  const grow = () => client.controller.controllerExpandVolume({ volumeId: "v", capacityRange: { requiredBytes: 2n * GiB } });
  expect(await grow()).toEqual({ capacityBytes: 2n * GiB, nodeExpansionRequired: true });
  expect(await grow()).toEqual({ capacityBytes: 2n * GiB, nodeExpansionRequired: true });
  await client.node.nodeExpandVolume({ volumeId: "v", volumePath: "/mnt", capacityRange: { requiredBytes: 2n * GiB } });
  await client.controller.controllerModifyVolume({ volumeId: "v", mutableParameters: { iops: "100" } });
  expect(driver.volumes.get("v")).toMatchObject({ capacityBytes: 2n * GiB, nodeBytes: 2n * GiB, mutableParameters: { iops: "100" } });
});

test("snapshots are taken, listed, restored and deleted", async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  await using driver = await startScriptedDriver({
    capabilities: "full",
    volumes: [{ id: "v" }, { id: "w" }],
    snapshotsReady: false,
    clock,
  });
  using client = clientOf(driver);
  const { snapshot } = await client.controller.createSnapshot({ name: "s", sourceVolumeId: "v" });
  expect(snapshot).toMatchObject({ sourceVolumeId: "v", sizeBytes: GiB, readyToUse: false });
  expect(snapshot!.creationTime).toEqual({ seconds: BigInt(Date.UTC(2026, 0, 2, 3, 4, 5) / 1000), nanos: 678_000_000 });
  const early = { $case: "snapshot" as const, snapshot: { snapshotId: snapshot!.snapshotId } };
  expect((await failureOf(client.controller.createVolume({ ...create("early"), volumeContentSource: { type: early } }))).codeName).toBe(
    "Aborted",
  );
  driver.finishSnapshots();
  const again = await client.controller.createSnapshot({ name: "s", sourceVolumeId: "v" });
  expect(again.snapshot).toEqual({ ...snapshot!, readyToUse: true });
  expect((await failureOf(client.controller.createSnapshot({ name: "s", sourceVolumeId: "w" }))).codeName).toBe("AlreadyExists");
  expect((await failureOf(client.controller.createSnapshot({ name: "t", sourceVolumeId: "x" }))).codeName).toBe("NotFound");
  const { snapshotId } = snapshot!;
  const source = { $case: "snapshot" as const, snapshot: { snapshotId } };
  const { volume } = await client.controller.createVolume({ ...create("restored"), volumeContentSource: { type: source } });
  expect(driver.volumes.get(volume!.volumeId)?.source?.type).toEqual(source);
  expect((await client.controller.listSnapshots({ snapshotId })).entries).toHaveLength(1);
  expect((await client.controller.listSnapshots({ sourceVolumeId: "w" })).entries).toHaveLength(0);
  await client.controller.deleteSnapshot({ snapshotId });
  await client.controller.deleteSnapshot({ snapshotId });
  expect((await failureOf(client.controller.getSnapshot({ snapshotId }))).codeName).toBe("NotFound");
});

test("snapshots become ready after so many answers, whichever call asks, also across restarts", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", volumes: [{ id: "v" }], snapshotsReady: { afterAnswers: 3 } });
  using before = clientOf(driver);
  const request = { name: "s", sourceVolumeId: "v" };
  const { snapshot: first } = await before.controller.createSnapshot(request);
  const snapshotId = first?.snapshotId ?? "";
  const got = (await before.controller.getSnapshot({ snapshotId })).snapshot?.readyToUse;
  await driver.kill();
  await driver.start();
  using after = clientOf(driver);
  const listed = (await after.controller.listSnapshots({ snapshotId })).entries[0]?.snapshot?.readyToUse;
  const last = (await after.controller.createSnapshot(request)).snapshot?.readyToUse;
  expect([first?.readyToUse, got, listed, last]).toEqual([false, false, false, true]);
  expect(driver.snapshots.size).toBe(1);
});

test("groups of snapshots", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", volumes: [{ id: "v" }, { id: "w" }] });
  using client = clientOf(driver);
  const { groupSnapshot } = await client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: ["v", "w"] });
  const again = await client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: ["w", "v"] });
  expect(again.groupSnapshot).toEqual(groupSnapshot);
  expect(groupSnapshot!.snapshots.map(({ sourceVolumeId }) => sourceVolumeId)).toEqual(["v", "w"]);
  const [member] = groupSnapshot!.snapshots;
  expect((await failureOf(client.controller.deleteSnapshot({ snapshotId: member!.snapshotId }))).codeName).toBe("FailedPrecondition");
  const { groupSnapshotId, snapshots } = groupSnapshot!;
  const snapshotIds = snapshots.map(({ snapshotId }) => snapshotId);
  for (const others of [[], snapshotIds.slice(1), [...snapshotIds, "other"]]) {
    const named = { groupSnapshotId, snapshotIds: others };
    expect((await failureOf(client.groupController.getVolumeGroupSnapshot(named))).codeName).toBe("InvalidArgument");
    expect((await failureOf(client.groupController.deleteVolumeGroupSnapshot(named))).codeName).toBe("InvalidArgument");
  }
  expect((await client.groupController.getVolumeGroupSnapshot({ groupSnapshotId, snapshotIds })).groupSnapshot).toEqual(groupSnapshot);
  await client.groupController.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds });
  expect([driver.groups.size, driver.snapshots.size]).toEqual([0, 0]);
});

test("a group of snapshots that no call asked for", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", volumes: [{ id: "v" }, { id: "w" }] });
  using client = clientOf(driver);
  const { id, snapshotIds } = driver.addGroup(["v", "w"]);
  const { groupSnapshot } = await client.groupController.getVolumeGroupSnapshot({ groupSnapshotId: id, snapshotIds: [...snapshotIds] });
  expect(groupSnapshot?.snapshots.map(({ sourceVolumeId }) => sourceVolumeId)).toEqual(["v", "w"]);
  expect(driver.calls("CreateVolumeGroupSnapshot")).toEqual([]);
});

test("the node service stages, publishes and reports the health of volumes", async () => {
  await using driver = await startScriptedDriver({ capabilities: "full", volumes: [{ id: "v" }], nodeId: "n7" });
  using client = clientOf(driver);
  expect(await client.node.nodeGetInfo({})).toMatchObject({
    nodeId: "n7",
    accessibleTopology: { segments: { "topology.example.com/node": "n7" } },
  });
  const publish = { volumeId: "v", stagingTargetPath: "/stage", targetPath: "/pod", volumeCapability: writer };
  expect((await failureOf(client.node.nodePublishVolume(publish))).codeName).toBe("FailedPrecondition");
  await client.node.nodeStageVolume(publish);
  await client.node.nodePublishVolume(publish);
  driver.volumes.get("v")!.abnormal = "a disk is gone";
  const stats = await client.node.nodeGetVolumeStats({ volumeId: "v", volumePath: "/pod" });
  expect(stats.volumeCondition).toEqual({ abnormal: true, message: "a disk is gone" });
  expect((await client.controller.controllerGetVolume({ volumeId: "v" })).status?.volumeCondition?.abnormal).toBe(true);
  const sick = { volumeId: "v", healthStatuses: [{ message: "a disk is gone" }] };
  expect((await client.controller.controllerListVolumeHealth({})).entries).toMatchObject([sick]);
  expect((await client.node.nodeGetVolumeHealth({ volumeId: "v" })).volumeHealth).toMatchObject(sick);
  driver.volumes.get("v")!.abnormal = undefined;
  expect((await client.controller.controllerListVolumeHealth({})).entries).toEqual([]);
  expect((await client.controller.controllerGetVolumeHealth({ volumeId: "v" })).volumeHealth?.healthStatuses).toEqual([]);
});

test.each<{ preset: Preset; missing: string[] }>([
  { preset: "full", missing: [] },
  { preset: "attachable", missing: ["createSnapshot", "controllerExpandVolume", "getCapacity"] },
  { preset: "minimal", missing: ["createSnapshot", "controllerExpandVolume", "getCapacity", "listVolumes"] },
  { preset: "nodeOnly", missing: ["createSnapshot", "controllerExpandVolume", "getCapacity", "listVolumes", "controllerGetCapabilities"] },
])("a $preset driver has no code for $missing", async ({ preset, missing }) => {
  await using driver = await startScriptedDriver({ capabilities: preset });
  using client = clientOf(driver);
  const methods = ["createSnapshot", "controllerExpandVolume", "getCapacity", "listVolumes", "controllerGetCapabilities"] as const;
  const found: string[] = [];
  for (const method of methods) {
    const answer = await client.controller[method]({}).catch((error) => error.codeName);
    if (answer === "Unimplemented") found.push(method);
  }
  expect(found).toEqual(missing);
});

test("capabilities are reported by name, and may change while it runs", async () => {
  await using driver = await startScriptedDriver({ capabilities: { ...presets.minimal, expansion: ["OFFLINE"], node: ["EXPAND_VOLUME"] } });
  using client = clientOf(driver);
  expect((await client.identity.getPluginCapabilities({})).capabilities).toHaveLength(2);
  expect((await client.node.nodeGetCapabilities({})).capabilities).toHaveLength(1);
  driver.settings.capabilities = presets.attachable;
  expect((await client.controller.controllerGetCapabilities({})).capabilities).toHaveLength(6);
  driver.settings.ready = false;
  expect((await client.identity.probe({})).ready).toBe(false);
});
