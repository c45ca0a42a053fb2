import { describe, expect, test } from "bun:test";
import { Secret, VolumeSnapshotClass, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { creationRequests, isMarked, startWorld } from "./testing/content-world.ts";
import {
  beingCreated,
  beingDeleted,
  className,
  groupHandle,
  preProvisioned,
  secretName,
  secretNamespace,
  snapshotClass,
} from "./testing/objects.ts";

const deletionRequests = ["patch volumesnapshotcontents/status data", "patch volumesnapshotcontents data"];
const namesSecret = { [secretName]: "creds", [secretNamespace]: "default" };

describe("a deleted content", () => {
  test("is let go when the driver has deleted its snapshot: one call, two requests, none refused", async () => {
    await using world = await startWorld();
    await world.addContent();
    const { status } = await world.untilReady();
    await world.abandon();
    await world.untilGone();
    await world.stop();
    expect(world.driver.calls("DeleteSnapshot").map(({ request }) => request)).toEqual([
      { snapshotId: status?.snapshotHandle ?? "", secrets: {} },
    ]);
    expect(world.driver.snapshots.size).toBe(0);
    expect(await world.requests()).toEqual([...creationRequests, ...deletionRequests]);
    expect([await world.refused(), await world.events()]).toEqual([[], []]);
  });

  test.each(["Delete", "Retain"] as const)("%s: deleted while nobody looked", async (deletionPolicy) => {
    await using world = await startWorld();
    await world.addContent({ spec: { deletionPolicy } });
    await world.untilReady();
    await world.stop();
    await world.abandon();
    await world.run();
    await world.untilGone();
    const isKept = deletionPolicy === "Retain";
    expect([world.driver.snapshots.size, world.driver.calls("DeleteSnapshot").length]).toEqual(isKept ? [1, 0] : [0, 1]);
  });

  test("keeps finalizers of others", async () => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    await world.patchContent({ metadata: { finalizers: [...((await world.content()).metadata?.finalizers ?? []), "other.io/f"] } });
    await world.abandon();
    await world.until(({ metadata }) => metadata?.finalizers?.join() === "other.io/f");
    expect(world.driver.snapshots.size).toBe(0);
  });

  test("the driver fails: it is told, and everything stays; then it is retried", async () => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    world.driver.script("DeleteSnapshot", step.fail("Internal"), step.fail("NotFound"), step.waitFor("go"));
    await world.abandon();
    await world.driver.called("DeleteSnapshot", 3);
    const { status, metadata } = await world.content();
    expect([status?.readyToUse, metadata?.finalizers?.length]).toEqual([true, 1]);
    expect(await world.events()).toEqual(["Warning SnapshotDeleteError: Failed to delete snapshot"]);
    world.driver.release("go");
    await world.untilGone();
  });

  test("the secret is missing: the driver is not called; when it is there, it gets it", async () => {
    await using world = await startWorld();
    await world.create(Secret, { metadata: { namespace: "default", name: "creds" }, data: { key: btoa("v") } });
    await world.addContent({ metadata: { annotations: namesSecret } });
    await world.untilReady();
    await world.admin.delete(Secret, { namespace: "default", name: "creds" });
    await world.abandon();
    await world.untilEvent("Warning SnapshotDeleteError: Failed to get snapshot credentials");
    expect(world.driver.calls("DeleteSnapshot")).toEqual([]);
    await world.create(Secret, { metadata: { namespace: "default", name: "creds" }, data: { key: btoa("w") } });
    await world.untilGone();
    expect(world.driver.calls("DeleteSnapshot").map(({ request }) => request.secrets)).toEqual([{ key: "w" }]);
  });

  test.each(["gone", "another driver's"])("the class is %s: nothing needs it", async (what) => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    await world.admin.delete(VolumeSnapshotClass, { name: className });
    if (what !== "gone") await world.create(VolumeSnapshotClass, { ...snapshotClass(), driver: "other.example.com" });
    await world.abandon();
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(0);
  });

  test("of a group is let go without a call", async () => {
    await using world = await startWorld();
    await world.addContent({
      metadata: { annotations: { [groupHandle]: "g-1" } },
      status: { snapshotHandle: "s-1", volumeGroupSnapshotHandle: "g-1", readyToUse: true },
    });
    await world.abandon();
    await world.untilGone();
    expect(world.driver.calls("DeleteSnapshot")).toEqual([]);
  });

  test.each([
    ["bound", {}],
    ["never bound", { volumeSnapshotRef: { namespace: "default", name: "s" } }],
  ])("that an administrator has made, %s, without a status: its snapshot is deleted", async (_, spec) => {
    await using world = await startWorld({ stopped: true });
    await world.addContent({ spec: preProvisioned("s-1", spec) });
    await world.abandon();
    await world.run();
    await world.untilGone();
    expect(world.driver.calls("DeleteSnapshot").map(({ request }) => request.snapshotId)).toEqual(["s-1"]);
  });

  test("whose finalizer cannot be removed: the driver is not called twice, not even by a new process", async () => {
    for (const spec of [{}, preProvisioned("s-1")]) {
      await using world = await startWorld({ stopped: true });
      await world.addContent({ spec, ...(!("source" in spec) && { status: { snapshotHandle: "s-1", readyToUse: true } }) });
      await world.abandon();
      world.disturb({ resource: VolumeSnapshotContent, how: "refused", times: 2 }, { resource: VolumeSnapshotContent, how: "dies before" });
      await world.run();
      await world.untilTrue(() => world.dead);
      expect((await world.content()).status).toEqual({});
      await world.run();
      await world.untilGone();
      expect(world.driver.calls("DeleteSnapshot")).toHaveLength(1);
    }
  });

  test("still marked, whose process dies when its snapshot is deleted: nothing is taken again", async () => {
    await using world = await startWorld({ stopped: true });
    await world.addContent({ metadata: { annotations: { [beingCreated]: "yes" } }, status: { snapshotHandle: "s-1", readyToUse: true } });
    await world.abandon();
    world.disturb({ resource: VolumeSnapshotContent, subresource: "status", how: "dies after" });
    await world.run();
    await world.untilTrue(() => world.dead);
    expect((await world.content()).status).toEqual({});
    await world.run();
    await world.untilGone();
    expect(world.driver.calls("CreateSnapshot")).toEqual([]);
    expect(world.driver.calls("DeleteSnapshot")).toHaveLength(1);
  });

  test("whose status cannot be cleared: it is told, and the driver is not called twice", async () => {
    await using world = await startWorld();
    await world.addContent();
    await world.untilReady();
    world.disturb({ resource: VolumeSnapshotContent, subresource: "status", how: "refused", times: 2 });
    await world.abandon();
    await world.untilGone();
    await world.untilEvent("Warning SnapshotDeleteError: Failed to clear content status");
    expect(world.driver.calls("DeleteSnapshot")).toHaveLength(1);
  });
});

describe("deleted while the driver takes the snapshot", () => {
  test.each(["Delete", "Retain"] as const)("%s: it is asked for nothing more, and nothing is left behind", async (deletionPolicy) => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.waitFor("go"));
    await world.addContent({ spec: { deletionPolicy } });
    await world.driver.called("CreateSnapshot");
    await world.abandon();
    world.driver.release("go");
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(deletionPolicy === "Retain" ? 1 : 0);
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  });

  test("the deletion is seen only with our own writes: it is not missed", async () => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.waitFor("go"));
    await world.addContent();
    await world.driver.called("CreateSnapshot");
    world.holdWatches();
    await world.abandon();
    world.driver.release("go");
    await world.driver.called("DeleteSnapshot");
    world.releaseWatches();
    await world.untilGone();
  });

  test.each([
    ["the answer is lost", step.lost],
    ["it ends with its time limit", step.hangAfter],
    ["it is not known", step.fail("Unavailable", "away", { effect: true })],
  ])("%s: it is asked again, and deleted", async (_, first) => {
    await using world = await startWorld({ flags: { timeout: 150, retryIntervalStart: 50 } });
    world.driver.script("CreateSnapshot", first, step.waitFor("go"));
    await world.addContent();
    await world.driver.called("CreateSnapshot", 2);
    expect(isMarked(await world.content())).toBe(true);
    await world.abandon();
    world.driver.release("go");
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(0);
  });

  test("the answer is lost, and the next call refused: the snapshot that was taken is not left behind", async () => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.lost, step.fail("Internal"), step.fail("Internal"), step.waitFor("go"));
    await world.addContent();
    await world.driver.called("CreateSnapshot", 2);
    await world.abandon();
    await world.driver.called("CreateSnapshot", 4);
    world.driver.release("go");
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(0);
    expect(world.driver.calls("DeleteSnapshot")).toHaveLength(1);
  });

  test("the answer is lost, and all that follow are refusals: the content goes after the third", async () => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.lostBefore);
    world.driver.always("CreateSnapshot", step.fail("Internal"));
    await world.addContent();
    await world.driver.called("CreateSnapshot");
    await world.abandon();
    await world.untilGone();
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(4);
    expect(world.driver.calls("DeleteSnapshot")).toEqual([]);
  });

  test("it fails for good: the content goes", async () => {
    await using world = await startWorld();
    world.driver.always("CreateSnapshot", step.fail("Internal"));
    await world.addContent();
    await world.driver.called("CreateSnapshot", 2);
    await world.abandon();
    await world.untilGone();
    expect(world.driver.calls("DeleteSnapshot")).toEqual([]);
  });

  test.each([
    ["is deleted too", false],
    ["is deleted too", true],
    ["becomes another driver's", true],
  ])("its class %s, new process: %p: the outcome is learned without it, with the last known parameters", async (what, isNew) => {
    await using world = await startWorld({ parameters: { tier: "gold" } });
    world.driver.always("CreateSnapshot", step.fail("Unavailable", "away", { effect: true }));
    await world.addContent();
    await world.driver.called("CreateSnapshot");
    if (isNew) await world.stop();
    await world.admin.delete(VolumeSnapshotClass, { name: className });
    if (what.startsWith("becomes"))
      await world.create(VolumeSnapshotClass, { ...snapshotClass({ tier: "lead" }), driver: "other.example.com" });
    await world.abandon();
    const before = world.driver.calls("CreateSnapshot").length;
    world.driver.always("CreateSnapshot", step.act);
    if (isNew) await world.run();
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(0);
    const last = world.driver.calls("CreateSnapshot").at(-1);
    expect(world.driver.calls("CreateSnapshot").length).toBeGreaterThan(before);
    expect(last?.request.parameters).toEqual(isNew ? {} : { tier: "gold" });
  });

  test("its secret is deleted too: it is told, and goes on when the secret is back", async () => {
    await using world = await startWorld();
    const secret = { metadata: { namespace: "default", name: "creds" }, data: { key: btoa("v") } };
    await world.create(Secret, secret);
    world.driver.script("CreateSnapshot", step.lost, step.fail("Unavailable"), step.waitFor("go", step.fail("Aborted")));
    await world.addContent({ metadata: { annotations: namesSecret } });
    await world.driver.called("CreateSnapshot", 3);
    await world.admin.delete(Secret, { namespace: "default", name: "creds" });
    await world.abandon();
    world.driver.release("go");
    await world.untilEvent("cannot get credentials for snapshot content");
    await world.create(Secret, secret);
    await world.untilGone();
    expect(world.driver.snapshots.size).toBe(0);
  });
});

describe("a snapshot that nobody wants any more", () => {
  test("is not taken: Retain, and its VolumeSnapshot is deleted before the first call", async () => {
    await using world = await startWorld({ stopped: true });
    await world.addContent({ metadata: { annotations: { [beingDeleted]: "yes" } }, spec: { deletionPolicy: "Retain" } });
    await world.run();
    await world.witness();
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
    expect(isMarked(await world.content())).toBe(false);
  });

  test("is not taken if it is deleted in the moment of the mark, which is taken back", async () => {
    await using world = await startWorld();
    const meanwhile = () => world.patchContent({ metadata: { annotations: { [beingDeleted]: "yes" } } });
    world.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile });
    await world.addContent({ spec: { deletionPolicy: "Retain" } });
    await world.until(({ metadata }) => metadata?.annotations?.[beingDeleted] && !isMarked({ metadata }));
    await world.witness();
    expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  });

  test("is not retried after an error that was final", async () => {
    await using world = await startWorld();
    world.driver.script("CreateSnapshot", step.fail("Internal"), step.waitFor("go", step.fail("Internal")));
    await world.addContent({ spec: { deletionPolicy: "Retain" } });
    await world.driver.called("CreateSnapshot", 2);
    await world.patchContent({ metadata: { annotations: { [beingDeleted]: "yes" } } });
    world.driver.release("go");
    await world.until((content) => !isMarked(content));
    await world.witness();
    expect(world.driver.calls("CreateSnapshot").filter(({ request }) => request.sourceVolumeId === "vol-data")).toHaveLength(2);
  });
});
