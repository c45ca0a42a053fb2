import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { mergePatch, Node, PersistentVolumeClaim, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { inDefault, preProvisioned } from "./testing/objects.ts";
import { contentNameOf, isProtected, isReady, readyStatus, type SnapshotWorld, startSnapshotWorld } from "./testing/snapshot-world.ts";
import { upstreamRole } from "./testing/upstream-role.ts";

const backup = inDefault("backup");
const singleKinds = snapshotDefinitions.slice(0, 3);

async function begin(world: SnapshotWorld): Promise<string> {
  await world.addClass();
  await world.addClaim();
  const snapshot = await world.addSnapshot();
  await world.untilContent(snapshot);
  return contentNameOf(snapshot);
}

async function takeAndDelete(world: SnapshotWorld): Promise<void> {
  const content = await begin(world);
  await world.answer(content);
  await world.untilSnapshot(isReady);
  await world.untilClaim((claim) => !isProtected(claim));
  await world.admin.delete(VolumeSnapshot, backup);
  await world.letGo(content);
  await world.untilGone(VolumeSnapshot, backup);
}

test("the kinds may be installed after the start", async () => {
  await using world = await startSnapshotWorld({ definitions: [] });
  await world.untilTrue(() =>
    world.controller.log.lines.some(({ message }) => message === "Waiting for CustomResourceDefinitions to be installed"),
  );
  await installDefinitions(world.admin, snapshotDefinitions);
  await takeAndDelete(world);
});

test("the kinds of groups may be absent", async () => {
  await using world = await startSnapshotWorld({ definitions: singleKinds });
  const content = await begin(world);
  await world.answer(content, { ...readyStatus, volumeGroupSnapshotHandle: "group-1" });
  expect((await world.untilSnapshot(isReady)).status?.volumeGroupSnapshotName).toBeUndefined();
});

test("upstream's published role is enough", async () => {
  await using world = await startSnapshotWorld({ role: upstreamRole });
  await takeAndDelete(world);
  expect(await world.refused()).toEqual([]);
});

describe("the status of a snapshot that is bound and not ready", () => {
  test("is written when the driver takes its time", async () => {
    await using world = await startSnapshotWorld();
    const content = await begin(world);
    const { status } = await world.untilSnapshot((snapshot) => snapshot.status);
    expect(status).toEqual({ boundVolumeSnapshotContentName: content, readyToUse: false });
    await world.answer(content, {
      snapshotHandle: "snap-1",
      creationTime: 1_600_000_000_999_999_999n,
      readyToUse: false,
      restoreSize: 1000,
    });
    const taken = await world.untilSnapshot((snapshot) => snapshot.status?.creationTime);
    expect(taken.status).toMatchObject({ creationTime: "2020-09-13T12:26:40Z", readyToUse: false, restoreSize: "1k" });
    await world.answer(content, { readyToUse: true });
    await world.untilSnapshot(isReady);
  });

  test("is written at once by a new process", async () => {
    // A clock that stands still: nothing happens later.
    const clock = new FakeClock();
    await using world = await startSnapshotWorld({ clock });
    await begin(world);
    await world.controller.kill();
    expect((await world.admin.get(VolumeSnapshot, backup)).status).toBeUndefined();
    await world.controller.run();
    await world.untilSnapshot((snapshot) => snapshot.status?.boundVolumeSnapshotContentName);
  });
});

test("the driver's error is shown, and is gone when the driver succeeds", async () => {
  await using world = await startSnapshotWorld();
  const content = await begin(world);
  const error = { message: "out of space", time: "2026-01-01T00:00:00Z" };
  await world.answer(content, { readyToUse: false, error });
  expect((await world.untilSnapshot((snapshot) => snapshot.status?.error)).status?.error).toEqual(error);
  await world.answer(content, { ...readyStatus, error: null as never });
  expect((await world.untilSnapshot(isReady)).status?.error).toBeUndefined();
});

describe("metrics", () => {
  const value = (text: string, name: string, labels: Readonly<Record<string, string>> = {}) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(name) && Object.entries(labels).every(([key, wanted]) => line.includes(`${key}="${wanted}"`)))
      .map((line) => Number(line.split(" ").at(-1)));
  const counted = "snapshot_controller_operation_total_seconds_count";

  test("count what was created and deleted", async () => {
    await using world = await startSnapshotWorld();
    await takeAndDelete(world);
    const labels = { driver_name: "csi.example.com", operation_status: "success", snapshot_type: "dynamic" };
    const isCounted = async (operation_name: string) => {
      const counts = value(await world.controller.metrics(), counted, { ...labels, operation_name });
      return counts.length === 1 && counts[0] === 1;
    };
    for (const operation of ["CreateSnapshot", "CreateSnapshotAndReady", "DeleteSnapshot"])
      await world.untilTrue(() => isCounted(operation));
    const text = await world.controller.metrics();
    expect(value(text, "snapshot_controller_operations_in_flight")).toEqual([0]);
    expect(value(text, "workqueue_adds_total", { name: "snapshot-controller-snapshot" })[0]).toBeGreaterThan(0);
    expect(text).toContain("process_start_time_seconds");
  });

  test("tell what was canceled", async () => {
    await using world = await startSnapshotWorld();
    const content = await begin(world);
    expect(value(await world.controller.metrics(), "snapshot_controller_operations_in_flight")).toEqual([2]);
    await world.admin.delete(VolumeSnapshot, backup);
    await world.letGo(content);
    await world.untilGone(VolumeSnapshot, backup);
    await world.untilTrue(async () => value(await world.controller.metrics(), "snapshot_controller_operations_in_flight")[0] === 0);
    const canceled = { driver_name: "csi.example.com", operation_status: "cancel", snapshot_type: "dynamic" };
    const text = await world.controller.metrics();
    for (const operation_name of ["CreateSnapshot", "CreateSnapshotAndReady"]) {
      expect(value(text, counted, { ...canceled, operation_name })).toEqual([1]);
    }
  });

  test("know pre-provisioned snapshots", async () => {
    await using world = await startSnapshotWorld();
    await world.addSnapshot(preProvisioned());
    await world.untilSnapshot(({ status }) => status?.error);
    await world.admin.delete(VolumeSnapshot, backup);
    await world.untilGone(VolumeSnapshot, backup);
    await world.untilTrue(async () => value(await world.controller.metrics(), "snapshot_controller_operations_in_flight")[0] === 0);
  });
});

describe("where csi-snapshotter runs on every node", () => {
  const affinity = (zone: string) => ({
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In" as const, values: [zone] }] }] } },
  });

  test("a content is labelled with the node of its volume", async () => {
    await using world = await startSnapshotWorld({ flags: { enableDistributedSnapshotting: true }, stopped: true });
    await world.create(Node, { metadata: { name: "node-a", labels: { zone: "a" } } });
    await world.addClass();
    await world.addClaim({}, { spec: affinity("a") });
    await world.controller.run();
    const content = await world.untilContent(await world.addSnapshot());
    expect(content.metadata?.labels).toEqual({ "snapshot.storage.kubernetes.io/managed-by": "node-a" });
  });

  test("a volume that no node has is told of", async () => {
    await using world = await startSnapshotWorld({ flags: { enableDistributedSnapshotting: true } });
    await world.addClass();
    await world.addClaim({}, { spec: affinity("a") });
    const content = await world.untilContent(await world.addSnapshot());
    expect(content.metadata?.labels).toBeUndefined();
    await world.untilEvent("backup", "Warning SnapshotNodeMissing: No node matches the node affinity of volume pv-data");
  });
});

test("a claim of a snapshot is not written again by a process that has nothing to do", async () => {
  await using world = await startSnapshotWorld();
  await world.answer(await begin(world));
  await world.untilSnapshot(isReady);
  await world.untilClaim((claim) => !isProtected(claim));
  await world.controller.stop();
  const before = (await world.controller.requests()).length;
  await world.controller.run();
  await world.admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { labels: { any: "change" } } }));
  await world.admin.patch(VolumeSnapshot, backup, mergePatch({ metadata: { labels: { any: "change" } } }));
  await world.witness();
  expect((await world.controller.requests()).slice(before).filter((request) => /backup| data/.test(request))).toEqual([]);
});

test("contents of other snapshots are not touched by any of it", async () => {
  await using world = await startSnapshotWorld();
  await takeAndDelete(world);
  expect((await world.admin.list(VolumeSnapshotContent)).items).toEqual([]);
});
