import { describe, expect, test } from "bun:test";
import { Secret, VolumeGroupSnapshotClass, VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import {
  beingCreated,
  beingDeleted,
  className,
  finalizer,
  groupClass,
  groupContent,
  groupUid,
  preProvisioned,
  secretName,
  secretNamespace,
} from "./testing/group-objects.ts";
import { type GroupWorld, type GroupWorldOptions, startGroupWorld } from "./testing/group-world.ts";

const contents = "volumegroupsnapshotcontents";
const deletions = (world: GroupWorld) => world.driver.calls("DeleteVolumeGroupSnapshot").map(({ request }) => request);
const sizes = ({ driver }: GroupWorld) => [driver.groups.size, driver.snapshots.size];

/** A world with a content that has its group snapshot. */
async function taken(options: GroupWorldOptions & { readonly policy?: "Retain"; readonly metadata?: object } = {}): Promise<GroupWorld> {
  const world = await startGroupWorld(options);
  const { policy = "Delete", metadata } = options;
  await world.addContent(groupContent({ metadata: metadata ?? {}, spec: { deletionPolicy: policy } }));
  await world.until(({ metadata, status }) => status?.readyToUse && !metadata?.annotations?.[beingCreated]);
  return world;
}

/** Keeps a content from going when we let it go. */
const held = { metadata: { finalizers: [finalizer, "example.com/held"] } };

describe("a content with a group snapshot", () => {
  test("is deleted with it, by one call and two requests", async () => {
    await using world = await taken();
    const snapshotIds = [...world.driver.snapshots.keys()];
    const [groupSnapshotId = ""] = world.driver.groups.keys();
    const before = (await world.requests()).length;
    await world.deleteContent();
    await world.untilGone();
    expect(deletions(world)).toEqual([{ groupSnapshotId, snapshotIds, secrets: {} }]);
    expect(sizes(world)).toEqual([0, 0]);
    expect((await world.requests()).slice(before)).toEqual([`patch ${contents}/status data`, `patch ${contents} data`]);
    expect(await world.refused()).toEqual([]);
  });

  test("keeps the list of what was in it while somebody else holds it", async () => {
    await using world = await taken(held);
    const { status } = await world.content();
    await world.deleteContent();
    const { status: cleared } = await world.until(({ metadata }) => !metadata?.finalizers?.includes(finalizer));
    expect(cleared).toEqual({ volumeSnapshotInfoList: status!.volumeSnapshotInfoList! });
    await world.patchContent({ metadata: { labels: { any: "change" }, annotations: { [secretName]: "x" } } });
    await world.witness();
    expect(deletions(world)).toHaveLength(1);
  });

  test("needs its class for nothing any more, and its secret", async () => {
    const annotations = { [secretName]: "keys", [secretNamespace]: "default" };
    await using world = await startGroupWorld();
    await world.create(Secret, { metadata: { namespace: "default", name: "keys" }, data: { user: btoa("admin") } });
    await world.addContent(groupContent({ metadata: { annotations } }));
    await world.until(({ status }) => status?.readyToUse);
    await world.admin.delete(VolumeGroupSnapshotClass, { name: className });
    await world.admin.delete(Secret, { namespace: "default", name: "keys" });
    await world.deleteContent();
    await world.untilEvent("Warning GroupSnapshotDeleteError: Failed to get snapshot credentials");
    expect(deletions(world)).toEqual([]);
    await world.create(Secret, { metadata: { namespace: "default", name: "keys" }, data: { user: btoa("other") } });
    await world.untilGone();
    expect(deletions(world).map(({ secrets }) => secrets)).toEqual([{ user: "other" }]);
  });

  test("stays while the driver cannot delete it", async () => {
    await using world = await taken();
    const { status } = await world.content();
    world.driver.always("DeleteVolumeGroupSnapshot", step.fail("Internal", "busy"));
    await world.deleteContent();
    await world.untilEvent("Warning GroupSnapshotDeleteError: Failed to delete group snapshot");
    await world.driver.called("DeleteVolumeGroupSnapshot", 3);
    const content = await world.content();
    expect(content.metadata?.finalizers).toEqual([finalizer]);
    expect(content.status).toEqual(status!);
    world.driver.always("DeleteVolumeGroupSnapshot", step.act);
    await world.untilGone();
  });

  test("that is to be retained goes alone", async () => {
    await using world = await taken({ policy: "Retain", ...held });
    const { status } = await world.content();
    await world.deleteContent();
    const content = await world.until(({ metadata }) => !metadata?.finalizers?.includes(finalizer));
    expect(content.status).toEqual(status!);
    expect(deletions(world)).toEqual([]);
    expect(sizes(world)).toEqual([1, 2]);
  });

  test("is not touched before its group is deleted", async () => {
    await using world = await taken();
    await world.admin.delete(VolumeGroupSnapshotContent, { name: "data" });
    await world.witness();
    expect(deletions(world)).toEqual([]);
    expect((await world.content()).metadata?.finalizers).toEqual([finalizer]);
    await world.patchContent({ metadata: { annotations: { [beingDeleted]: "yes" } } });
    await world.untilGone();
  });
});

describe("a pre-provisioned content", () => {
  test("deletes what it names, although its status was never written", async () => {
    await using world = await startGroupWorld({ stopped: true });
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    await world.addContent(preProvisioned(id, snapshotIds));
    await world.deleteContent();
    await world.run();
    await world.untilGone();
    expect(deletions(world)).toEqual([{ groupSnapshotId: id, snapshotIds: [...snapshotIds], secrets: {} }]);
  });

  test("that was never bound is deleted without its group", async () => {
    await using world = await startGroupWorld();
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    await world.addContent(preProvisioned(id, snapshotIds, { spec: { volumeGroupSnapshotRef: { namespace: "default", name: "group" } } }));
    await world.until(({ status }) => status?.readyToUse);
    await world.admin.delete(VolumeGroupSnapshotContent, { name: "data" });
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
  });

  test("that is to be retained goes alone", async () => {
    await using world = await startGroupWorld();
    const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
    await world.addContent(preProvisioned(id, snapshotIds, { spec: { deletionPolicy: "Retain" } }));
    await world.deleteContent();
    await world.untilGone();
    expect(deletions(world)).toEqual([]);
    expect(sizes(world)).toEqual([1, 2]);
  });
});

describe("a content that is deleted during its creation", () => {
  test("waits for the driver's answer, and takes what it made with it", async () => {
    await using world = await startGroupWorld();
    world.driver.script("CreateVolumeGroupSnapshot", step.waitFor("slow"));
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot");
    await world.deleteContent();
    world.driver.release("slow");
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
    expect([world.asked().length, deletions(world).length]).toEqual([1, 1]);
  });

  test("is asked for again after a time out, until its handle is known", async () => {
    await using world = await startGroupWorld({ flags: { timeout: 150 } });
    world.driver.script("CreateVolumeGroupSnapshot", step.hangAfter, step.hangAfter);
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot");
    await world.deleteContent();
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
    expect(deletions(world)).toHaveLength(1);
  });

  test("is not forgotten because a call is refused after an answer got lost", async () => {
    await using world = await startGroupWorld();
    world.driver.script("CreateVolumeGroupSnapshot", step.lost, step.fail("Internal"), step.fail("Internal"), step.waitFor("go"));
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot", 2);
    await world.deleteContent();
    await world.driver.called("CreateVolumeGroupSnapshot", 4);
    world.driver.release("go");
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
    expect(deletions(world)).toHaveLength(1);
  });

  test("goes at once when the driver has failed for good, whatever delay it has reached", async () => {
    await using world = await startGroupWorld({ flags: { retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 } });
    world.driver.script("CreateVolumeGroupSnapshot", step.waitFor("slow", step.fail("Internal")));
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot");
    await world.deleteContent();
    world.driver.release("slow");
    await world.untilGone();
    expect(world.asked()).toHaveLength(1);
    expect(deletions(world)).toEqual([]);
  });

  test("and is not ready yet is deleted at once", async () => {
    await using world = await startGroupWorld({ driver: { snapshotsReady: false } });
    await world.addContent();
    await world.until(({ status }) => status?.volumeGroupSnapshotHandle);
    await world.deleteContent();
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
  });

  test("marked by a process that died before it called the driver", async () => {
    await using world = await startGroupWorld({ stopped: true });
    await world.addContent(groupContent({ metadata: { annotations: { [beingCreated]: "yes" } } }));
    await world.deleteContent();
    await world.run();
    await world.untilGone();
    expect(sizes(world)).toEqual([0, 0]);
  });

  test("right after it was marked: the driver is not called", async () => {
    await using world = await startGroupWorld();
    world.disturb({ resource: VolumeGroupSnapshotContent, how: "unseen", meanwhile: () => world.deleteContent() });
    await world.addContent();
    await world.untilGone();
    world.releaseWatches();
    expect(world.driver.calls("CreateVolumeGroupSnapshot")).toEqual([]);
  });
});

describe("a class that is gone while the outcome of a call is not known", () => {
  const lost = { metadata: { annotations: { [beingCreated]: "yes", [beingDeleted]: "yes" } } };

  test("does not hold up the deletion: the last call is repeated", async () => {
    const parameters = { tier: "gold" };
    await using world = await startGroupWorld({
      class: { metadata: { name: className }, driver: "csi.example.com", deletionPolicy: "Delete", parameters },
      flags: { timeout: 150 },
    });
    world.driver.script("CreateVolumeGroupSnapshot", step.hangAfter, step.waitFor("deleted"));
    await world.addContent();
    await world.driver.called("CreateVolumeGroupSnapshot");
    await world.admin.delete(VolumeGroupSnapshotClass, { name: className });
    await world.deleteContent();
    world.driver.release("deleted");
    await world.untilGone();
    expect(world.asked().map((request) => request.parameters)).toEqual(world.asked().map(() => parameters));
    expect(sizes(world)).toEqual([0, 0]);
  });

  const foreign = { ...groupClass({ tier: "lead" }), driver: "other.example.com" };
  test.each([null, foreign])("nor that of another process: it is asked for by its name alone; class now: %j", async (now) => {
    await using world = await startGroupWorld({ class: now, stopped: true });
    world.driver.addGroup(["a", "b"], `groupsnapshot-${groupUid}`);
    await world.addContent(groupContent(lost));
    await world.admin.delete(VolumeGroupSnapshotContent, { name: "data" });
    await world.run();
    await world.untilGone();
    expect(world.asked().map(({ parameters }) => parameters)).toEqual([{}]);
    expect(sizes(world)).toEqual([0, 0]);
  });

  test("a snapshot that exists with other parameters is not forgotten", async () => {
    await using world = await startGroupWorld({ class: null, stopped: true });
    world.driver.always("CreateVolumeGroupSnapshot", step.fail("AlreadyExists", "with other parameters"));
    await world.addContent(groupContent(lost));
    await world.admin.delete(VolumeGroupSnapshotContent, { name: "data" });
    await world.run();
    await world.untilEvent("with other parameters");
    await world.driver.called("CreateVolumeGroupSnapshot", 3);
    const { metadata } = await world.content();
    expect([metadata?.annotations?.[beingCreated], metadata?.finalizers]).toEqual(["yes", [finalizer]]);
  });
});
