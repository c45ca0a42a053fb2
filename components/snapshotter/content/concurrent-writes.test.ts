import { describe, expect, test } from "bun:test";
import { snapshotAnnotation as annotation, mergePatch, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { type ContentWorld, isMarked, startWorld } from "./testing/content-world.ts";
import { beingDeleted, finalizer } from "./testing/objects.ts";

/* The snapshot-controller writes to the same contents. */

const status = { resource: VolumeSnapshotContent, subresource: "status" } as const;
const object = { resource: VolumeSnapshotContent } as const;

const others: Readonly<Record<string, (world: ContentWorld) => Promise<void>>> = {
  "an annotation": (world) => world.patchContent({ metadata: { annotations: { [annotation.secretName]: "x" } } }),
  "a label and a finalizer": (world) => world.patchContent({ metadata: { labels: { a: "b" }, finalizers: [finalizer, "other.io/f"] } }),
  "the status": (world) => world.patchStatus({ volumeGroupSnapshotHandle: "g" }),
};

describe("somebody else writes right before one of our writes: one call, nothing lost, no warning", () => {
  for (const [what, write] of Object.entries(others)) {
    test.each(["mark", "status", "unmark"])(`${what}, before the %s`, async (which) => {
      await using world = await startWorld();
      if (which === "unmark") world.disturb({ ...object, how: "sent" });
      world.disturb({ ...(which === "status" ? status : object), how: "sent", meanwhile: () => write(world) });
      await world.addContent();
      const { metadata, status: now } = await world.untilReady();
      expect(now?.snapshotHandle).toBe("snap-1");
      if (what === "an annotation") expect(metadata?.annotations).toEqual({ [annotation.secretName]: "x" });
      if (what === "the status") expect(now?.volumeGroupSnapshotHandle).toBe("g");
      if (what.startsWith("a label")) expect([metadata?.labels, metadata?.finalizers]).toEqual([{ a: "b" }, [finalizer, "other.io/f"]]);
      await world.stop();
      expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
      expect(await world.events()).toEqual([]);
    });
  }

  test("a finalizer, before ours goes", async () => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    // On an object that is being deleted finalizers can only go.
    await world.patchContent({ metadata: { finalizers: ["first.io/f", finalizer, "last.io/f"] } });
    const meanwhile = () => world.patchContent({ metadata: { finalizers: [finalizer, "last.io/f"] } });
    world.disturb({ ...object, how: "sent", meanwhile });
    await world.abandon();
    await world.until(({ metadata }) => metadata?.finalizers?.join() === "last.io/f");
    expect(world.driver.calls("DeleteSnapshot")).toHaveLength(1);
  });
});

describe("a deletion right before one of our writes", () => {
  test.each(["mark", "status", "unmark"])("before the %s: nothing is left", async (which) => {
    await using world = await startWorld();
    if (which === "unmark") world.disturb({ ...object, how: "sent" });
    world.disturb({ ...(which === "status" ? status : object), how: "sent", meanwhile: () => world.abandon() });
    await world.addContent();
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(0);
  });
});

test("a content that is gone, though the watch does not show that: it is not asked for again and again", async () => {
  await using world = await startWorld();
  await world.witness();
  const removeUnseen = async () => {
    world.holdWatches();
    await world.patchContent({ metadata: { finalizers: null } });
    await world.admin.delete(VolumeSnapshotContent, { name: "data" });
  };
  world.disturb({ ...object, how: "sent", meanwhile: removeUnseen });
  const before = (await world.requests()).length;
  await world.addContent();
  await world.untilTrue(async () => (await world.refused()).length > 0);
  // As many requests of somebody else as a loop would have sent by then.
  for (let i = 0; i < 20; i++) await world.admin.list(VolumeSnapshotContent);
  expect((await world.requests()).slice(before)).toEqual(["patch volumesnapshotcontents data"]);
  world.releaseWatches();
  expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
});

describe("a content is replaced by another one of its name", () => {
  /** Removes a content whatever finalizers it has, and makes another one for another VolumeSnapshot. */
  async function replace(world: ContentWorld): Promise<void> {
    await world.patchContent({ metadata: { finalizers: null } });
    await world.admin.delete(VolumeSnapshotContent, { name: "data" });
    await world.addContent({ spec: { volumeSnapshotRef: { namespace: "default", name: "other", uid: "uid-of-the-other" } } });
  }

  test("during the call: it inherits nothing, and gets a snapshot of its own", async () => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.waitFor("go"), step.waitFor("go on"));
    await world.addContent();
    await world.driver.called("CreateSnapshot");
    await replace(world);
    world.driver.release("go");
    await world.driver.called("CreateSnapshot", 2);
    expect((await world.content()).status).toBeUndefined();
    world.driver.release("go on");
    const { status: now } = await world.untilReady();
    expect([now?.snapshotHandle, [...world.driver.snapshots.values()].at(-1)?.name]).toEqual(["snap-2", "snapshot-uid-of-the-other"]);
  });

  test("right before the status is written: the same", async () => {
    await using world = await startWorld();
    world.holdWatches();
    world.disturb({ ...status, how: "sent", meanwhile: () => replace(world) });
    world.releaseWatches();
    await world.addContent();
    const { status: now } = await world.until(({ status }) => status?.readyToUse);
    expect(now?.snapshotHandle).toBe("snap-2");
  });

  test("while the driver deletes: the other one is not cleared, and keeps its finalizer", async () => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    world.driver.script("DeleteSnapshot", step.waitFor("go"));
    await world.abandon();
    await world.driver.called("DeleteSnapshot");
    await world.patchContent({ metadata: { finalizers: null } });
    await world.addContent({ status: { snapshotHandle: "kept", readyToUse: true } });
    // The watch has shown the status by then.
    await world.witness();
    world.driver.release("go");
    await world.stop();
    const { metadata, status: now } = await world.content();
    expect([now, metadata?.finalizers]).toEqual([{ snapshotHandle: "kept", readyToUse: true }, [finalizer]]);
  });
});

describe("an answer of the API server is lost: one call", () => {
  test.each(["mark", "status", "unmark"])("that to the %s", async (which) => {
    await using world = await startWorld();
    if (which === "unmark") world.disturb({ ...object, how: "sent" });
    world.disturb({ ...(which === "status" ? status : object), how: "lost" });
    await world.addContent();
    await world.untilReady();
    await world.witness();
    expect(world.driver.calls("CreateSnapshot").filter(({ request }) => request.sourceVolumeId === "vol-data")).toHaveLength(1);
  });

  test.each(["status", "finalizer"])("that to the %s of a deletion", async (which) => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    world.disturb({ ...(which === "status" ? status : object), how: "lost" });
    await world.abandon();
    await world.untilGone();
    expect(world.driver.calls("DeleteSnapshot")).toHaveLength(1);
  });
});

describe("what the driver answered cannot be saved: the write is retried, not the call", () => {
  test.each(["refused", "failed", "conflict", "invalid"] as const)("%s, three times: no warning", async (how) => {
    await using world = await startWorld();
    world.disturb({ ...status, how, times: 3 });
    await world.addContent();
    await world.untilReady();
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
    expect(await world.events()).toEqual([]);
  });

  test("for long: users are warned", async () => {
    await using world = await startWorld();
    world.disturb({ ...status, how: "refused", times: 8 });
    await world.addContent();
    await world.untilEvent(
      "Warning SnapshotContentCheckandUpdateFailed: Failed to check and update snapshot content: error updating status for volume snapshot content data: snapshot controller failed to update data on API server: mock error",
    );
    await world.untilReady();
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  });

  test("the mark cannot be written: told, and the driver is not called before it is", async () => {
    await using world = await startWorld();
    world.disturb({ ...object, how: "refused" });
    await world.addContent();
    await world.untilEvent(
      'Failed to create snapshot: failed to add VolumeSnapshotBeingCreated annotation on the content data: "mock error"',
    );
    expect((await world.untilReady()).status?.error).toBeUndefined();
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  });

  test("the mark cannot be removed after an error: told", async () => {
    await using world = await startWorld({ driver: { script: { CreateSnapshot: [step.fail("Internal")] } } });
    world.disturb({ ...object, how: "sent" }, { ...object, how: "refused" });
    await world.addContent();
    await world.untilEvent("failed to remove VolumeSnapshotBeingCreated annotation from the content data: mock error");
    await world.untilReady();
  });
});

test("others who write the content at the same time are no news: not for marks, not for a deletion", async () => {
  await using world = await startWorld({ driver: { script: { CreateSnapshot: [step.fail("Internal")] } } });
  world.disturb({ ...object, how: "conflict", times: 2 }, { ...object, how: "sent" }, { ...object, how: "conflict", times: 2 });
  await world.addContent();
  await world.untilReady();
  world.disturb({ ...status, how: "conflict", times: 2 });
  await world.abandon();
  await world.untilGone();
  expect((await world.events()).filter((event) => !event.includes("code = Internal"))).toEqual([]);
});

test("the annotation that a snapshot is deleted is never lost to our own", async () => {
  await using world = await startWorld();
  world.driver.script("CreateSnapshot", step.fail("Internal"), step.waitFor("go", step.fail("Internal")));
  await world.addContent();
  await world.driver.called("CreateSnapshot", 2);
  await world.admin.patch(VolumeSnapshotContent, { name: "data" }, mergePatch({ metadata: { annotations: { [beingDeleted]: "yes" } } }));
  world.driver.release("go");
  await world.until((content) => !isMarked(content));
  expect((await world.content()).metadata?.annotations).toEqual({ [beingDeleted]: "yes" });
});
