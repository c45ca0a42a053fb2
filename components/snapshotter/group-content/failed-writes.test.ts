import { describe, expect, test } from "bun:test";
import { VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { type Disturbance, step } from "@csi-sidecars/testcluster";
import { beingCreated, beingDeleted, finalizer, groupContent, preProvisioned } from "./testing/group-objects.ts";
import { type GroupWorld, startGroupWorld } from "./testing/group-world.ts";

/* The driver has answered, and that cannot be written: the write is retried, not the call. */

const resource = VolumeGroupSnapshotContent;
const status = { resource, subresource: "status" } as const;
const deletions = (world: GroupWorld) => world.driver.calls("DeleteVolumeGroupSnapshot").length;
const sizes = ({ driver }: GroupWorld) => [driver.groups.size, driver.snapshots.size];

const untilTaken = (world: GroupWorld) =>
  world.until(({ metadata, status }) => status?.readyToUse && metadata?.annotations?.[beingCreated] === undefined);

describe("a group snapshot is taken by one call although", () => {
  test.each<[string, readonly Disturbance[]]>([
    ["the mark is refused", [{ resource, how: "refused", times: 3 }]],
    ["the answer to the mark is lost", [{ resource, how: "lost" }]],
    ["the status is refused", [{ ...status, how: "refused", times: 3 }]],
    ["the server fails to write the status", [{ ...status, how: "failed", times: 3 }]],
    ["the status conflicts", [{ ...status, how: "conflict", times: 3 }]],
    ["the answer to the status is lost", [{ ...status, how: "lost" }]],
    [
      "the removal of the mark is refused",
      [
        { resource, how: "sent" },
        { resource, how: "refused", times: 3 },
      ],
    ],
    [
      "the answer to the removal of the mark is lost",
      [
        { resource, how: "sent" },
        { resource, how: "lost" },
      ],
    ],
  ])("%s", async (_, disturbances) => {
    await using world = await startGroupWorld();
    world.disturb(...disturbances);
    await world.addContent();
    await untilTaken(world);
    await world.stop();
    expect(world.asked()).toHaveLength(1);
    const { status } = await world.content();
    expect(status).toMatchObject({ readyToUse: true, volumeSnapshotInfoList: [{ volumeHandle: "a" }, { volumeHandle: "b" }] });
    expect(status?.error).toBeUndefined();
  });

  test("the removal of the mark after an error is refused: the next attempt removes it", async () => {
    await using world = await startGroupWorld();
    world.disturb({ resource, how: "sent" }, { resource, how: "refused" });
    world.driver.script("CreateVolumeGroupSnapshot", step.fail("Internal"));
    await world.addContent();
    await world.untilEvent("failed to remove VolumeGroupSnapshotBeingCreated annotation from the group snapshot content data");
    await untilTaken(world);
    expect(world.asked()).toHaveLength(2);
  });

  test("others write the content at the same time: that is no news, nor is it when the content is deleted", async () => {
    await using world = await startGroupWorld({ driver: { script: { CreateVolumeGroupSnapshot: [step.fail("Internal")] } } });
    world.disturb({ resource, how: "conflict", times: 2 }, { resource, how: "sent" }, { resource, how: "conflict", times: 2 });
    await world.addContent();
    await untilTaken(world);
    world.disturb({ ...status, how: "conflict", times: 2 });
    await world.deleteContent();
    await world.untilGone();
    expect((await world.events()).filter((event) => !event.includes("code = Internal"))).toEqual([]);
  });

  test("a failure to mark it is told in upstream's words", async () => {
    await using world = await startGroupWorld();
    world.disturb({ resource, how: "refused" });
    await world.addContent();
    const cause = "snapshot controller failed to update data on API server: mock error";
    const text = `failed to add VolumeGroupSnapshotBeingCreated annotation on the group snapshot content data: "${cause}"`;
    await world.untilEvent(`Warning GroupSnapshotCreationFailed: Failed to create group snapshot: ${text}`);
    await untilTaken(world);
  });

  test("a status that cannot be written for long is told in upstream's words, and never calls a ready snapshot unready", async () => {
    await using world = await startGroupWorld();
    world.disturb({ ...status, how: "refused", times: 5 });
    await world.addContent();
    const cause =
      "error updating status for volume group snapshot content data: snapshot controller failed to update data on API server: mock error";
    await world.untilEvent(`Warning GroupSnapshotContentCheckandUpdateFailed: Failed to check and update group snapshot content: ${cause}`);
    await untilTaken(world);
    expect(world.asked()).toHaveLength(1);
  });
});

describe("a group snapshot is deleted by one call although", () => {
  test.each<[string, readonly Disturbance[]]>([
    ["the status is refused", [{ ...status, how: "refused", times: 3 }]],
    ["the answer to the status is lost", [{ ...status, how: "lost" }]],
    ["the finalizer is refused", [{ resource, how: "refused", times: 3 }]],
    ["the answer to the finalizer is lost", [{ resource, how: "lost" }]],
  ])("%s", async (_, disturbances) => {
    await using world = await startGroupWorld();
    await world.addContent();
    await untilTaken(world);
    world.disturb(...disturbances);
    await world.deleteContent();
    await world.untilGone();
    expect(deletions(world)).toBe(1);
    expect(sizes(world)).toEqual([0, 0]);
  });

  test("the process is restarted before the finalizer goes: the status says that it is done", async () => {
    await using world = await startGroupWorld();
    await world.addContent();
    await untilTaken(world);
    world.disturb({ resource, how: "dies before" });
    await world.deleteContent();
    await world.untilTrue(() => world.dead);
    expect((await world.content()).status).toEqual({ volumeSnapshotInfoList: expect.any(Array) });
    await world.run();
    await world.untilGone();
    expect(deletions(world)).toBe(1);
  });

  test("the process dies when it is done, and the content was still marked: nothing is taken again", async () => {
    await using world = await startGroupWorld();
    await world.addContent();
    await untilTaken(world);
    await world.stop();
    await world.patchContent({ metadata: { annotations: { [beingCreated]: "yes" } } });
    await world.deleteContent();
    world.disturb({ ...status, how: "dies after" });
    await world.run();
    await world.untilTrue(() => world.dead);
    await world.run();
    await world.untilGone();
    expect(deletions(world)).toBe(1);
    expect(sizes(world)).toEqual([0, 0]);
  });

  test("it was never saved what a pre-provisioned content has", async () => {
    await using world = await startGroupWorld();
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    world.driver.always("GetVolumeGroupSnapshot", step.hang);
    await world.addContent(preProvisioned(id, snapshotIds));
    await world.driver.called("GetVolumeGroupSnapshot");
    world.disturb({ resource, how: "refused", times: 3 });
    await world.deleteContent();
    await world.untilGone();
    expect(deletions(world)).toBe(1);
  });

  test("a status that cannot be cleared is told", async () => {
    await using world = await startGroupWorld();
    await world.addContent();
    await untilTaken(world);
    world.disturb({ ...status, how: "refused" });
    await world.deleteContent();
    await world.untilEvent("Warning GroupSnapshotDeleteError: Failed to clear content status");
    await world.untilGone();
  });
});

describe("beside other writers", () => {
  test("everything that they write at the same time stays", async () => {
    await using world = await startGroupWorld();
    const theirs = (key: string) => () => world.patchContent({ metadata: { annotations: { [`example.com/${key}`]: "theirs" } } });
    world.disturb(
      { resource, how: "sent", meanwhile: theirs("mark") },
      { ...status, how: "sent", meanwhile: theirs("status") },
      { resource, how: "sent", meanwhile: theirs("unmark") },
    );
    await world.addContent();
    const { metadata } = await untilTaken(world);
    expect(metadata?.annotations).toEqual({ "example.com/mark": "theirs", "example.com/status": "theirs", "example.com/unmark": "theirs" });
    expect(world.asked()).toHaveLength(1);
    expect(await world.refused()).toEqual([]);
  });

  test("a status that appears at the same time is completed, not overwritten", async () => {
    await using world = await startGroupWorld();
    const creationTime = "2026-01-02T03:04:05Z";
    world.disturb({ ...status, how: "sent", meanwhile: () => world.patchStatus({ creationTime, error: { message: "theirs" } }) });
    await world.addContent();
    const { status: saved } = await untilTaken(world);
    expect(saved).toMatchObject({ creationTime, readyToUse: true });
    expect(saved?.error).toBeUndefined();
    expect(world.asked()).toHaveLength(1);
  });

  test("a finalizer that is added at the same time stays", async () => {
    await using world = await startGroupWorld();
    await world.addContent();
    await untilTaken(world);
    const finalizers = [finalizer, "example.com/theirs"];
    await world.patchContent({ metadata: { finalizers } });
    world.disturb({ resource, how: "sent", meanwhile: () => world.patchContent({ metadata: { finalizers: [...finalizers].reverse() } }) });
    await world.deleteContent();
    const { metadata } = await world.until(({ metadata }) => !metadata?.finalizers?.includes(finalizer));
    expect(metadata?.finalizers).toEqual(["example.com/theirs"]);
    expect(deletions(world)).toBe(1);
  });

  test("a deletion that comes while the answer is saved is seen without its watch event", async () => {
    await using world = await startGroupWorld();
    // The answers to our own writes tell of the deletion before the watch does.
    world.disturb({ ...status, how: "unseen", meanwhile: () => world.deleteContent() });
    await world.addContent();
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
  });
});

describe("a content that is replaced under its name", () => {
  const other = groupContent({
    metadata: { labels: { is: "other" } },
    spec: { volumeGroupSnapshotRef: { ...groupContent().spec!.volumeGroupSnapshotRef!, uid: "other" } },
  });
  const replace = async (world: GroupWorld) => {
    await world.cluster.removeUnderFinalizers(resource, { name: "data" });
    await world.addContent(other);
  };

  test.each<[string, Disturbance]>([
    ["before it is marked", { resource, how: "sent" }],
    ["before the answer is saved", { ...status, how: "sent" }],
  ])("%s: the successor gets its own, and nothing of its predecessor's", async (_, disturbance) => {
    await using world = await startGroupWorld();
    world.disturb({ ...disturbance, meanwhile: () => replace(world) });
    await world.addContent();
    const { status: saved, metadata } = await untilTaken(world);
    await world.stop();
    expect(metadata?.labels).toEqual({ is: "other" });
    const group = world.driver.groups.get(saved?.volumeGroupSnapshotHandle ?? "");
    expect(group?.name).toBe("groupsnapshot-other");
    expect((await world.content()).metadata?.annotations).toBeUndefined();
  });

  test("before the status is cleared: the successor keeps what it has", async () => {
    await using world = await startGroupWorld();
    await world.addContent();
    await untilTaken(world);
    world.disturb({ ...status, how: "sent", meanwhile: () => replace(world) });
    await world.deleteContent();
    const content = await world.until(({ metadata, status }) => metadata?.labels?.is && status?.readyToUse);
    await world.stop();
    expect(content.metadata?.finalizers).toEqual([finalizer]);
    expect(content.metadata?.annotations?.[beingDeleted]).toBeUndefined();
    expect(deletions(world)).toBe(1);
  });
});
