import { expect, test } from "bun:test";
import { mergePatch, snapshotAnnotation, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { beingCreated, driverName, groupContent } from "./testing/group-objects.ts";
import { type GroupWorld, startGroupWorld } from "./testing/group-world.ts";

const deletions = (world: GroupWorld) => world.driver.calls("DeleteVolumeGroupSnapshot").map(({ request }) => request);

test("a group whose list a client of v1beta1 has removed is deleted with the snapshots that its members name", async () => {
  await using world = await startGroupWorld();
  await world.addContent();
  await world.until(({ metadata, status }) => status?.readyToUse && !metadata?.annotations?.[beingCreated]);
  const { status } = await world.content();
  const snapshotIds = status?.volumeSnapshotInfoList?.map(({ snapshotHandle = "" }) => snapshotHandle);
  const volumeGroupSnapshotHandle = status?.volumeGroupSnapshotHandle ?? "";
  await world.patchStatus({ volumeSnapshotInfoList: null });
  const addMember = async (volumeHandle: string, snapshotHandle: string) => {
    const made = await world.create(VolumeSnapshotContent, {
      metadata: { generateName: "member-", annotations: { [snapshotAnnotation.groupHandle]: volumeGroupSnapshotHandle } },
      spec: {
        deletionPolicy: "Delete",
        driver: driverName,
        source: { volumeHandle },
        volumeSnapshotRef: { name: "s", namespace: "default" },
      },
    });
    const ref = { name: made.metadata?.name ?? "" };
    const member = mergePatch({ status: { snapshotHandle, volumeGroupSnapshotHandle } });
    await world.admin.patch(VolumeSnapshotContent, ref, member, { subresource: "status" });
  };
  await addMember("b", snapshotIds?.[1] ?? "");
  await world.deleteContent();
  await world.untilEvent("Warning GroupSnapshotDeleteError: Failed to delete group snapshot");
  expect(deletions(world)).toEqual([]);
  await addMember("a", snapshotIds?.[0] ?? "");
  await world.untilGone();
  expect(deletions(world).map((request) => request.snapshotIds)).toEqual([[...(snapshotIds ?? [])]]);
  expect([world.driver.groups.size, world.driver.snapshots.size]).toEqual([0, 0]);
});

test("without members it says so, and the driver is not called", async () => {
  await using world = await startGroupWorld();
  await world.addContent(groupContent({ status: { volumeGroupSnapshotHandle: "g", readyToUse: true } }));
  await world.deleteContent();
  await world.untilEvent("Warning GroupSnapshotDeleteError: Failed to delete group snapshot");
  const text = "cannot delete group snapshot content data. No snapshots found in the group snapshot";
  await world.untilTrue(() => world.log.lines.some(({ error }) => String(error).includes(text)));
  expect(deletions(world)).toEqual([]);
});
