import { describe, expect, test } from "bun:test";
import { CSINode, mergePatch, PersistentVolume, type V1VolumeAttachment, VolumeAttachment } from "@csi-sidecars/kube";
import { type Script, step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "../testing/attacher-world.ts";
import { attachment, csiNode, finalizer, foreign, inlineSpec, prepared, volume } from "../testing/objects.ts";

/** While the driver attaches, a delete that read the attachment before it had the finalizer removes it. */
async function removedWhileAttaching(world: AttacherWorld): Promise<void> {
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.create(VolumeAttachment, attachment());
  await world.driver.called("ControllerPublishVolume");
  await world.cluster.removeUnderFinalizers(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
}

const volumeFinalizerRemoved = (world: AttacherWorld) =>
  world.untilTrue(async () => !(await world.get(PersistentVolume, "pv1")).metadata?.finalizers?.includes(world.finalizer));

const waiting = (...after: NonNullable<Script["ControllerPublishVolume"]>): Script => ({
  ControllerPublishVolume: [step.waitFor("go", after[0] ?? step.act)],
});

describe("an attachment that is deleted despite our finalizer", () => {
  test.each<[string, Script, number]>([
    ["attached meanwhile", waiting(), 1],
    ["attached, but the answer was lost", waiting(step.lost), 1],
    ["not attached for certain", waiting(step.fail("Internal")), 1],
    ["the driver does not detach at first", { ...waiting(), ControllerUnpublishVolume: [step.fail("Internal"), step.lost] }, 3],
  ])("its volume is detached: %s", async (_what, script, calls) => {
    await using world = await startWorld({ ownDriver: true, driver: { script } });
    await removedWhileAttaching(world);
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
    world.driver.release("go");
    await world.driver.called("ControllerUnpublishVolume", calls);
    await world.untilTrue(() => world.driver.publishedTo("handle1").length === 0);
    expect(world.driver.calls("ControllerUnpublishVolume").map(({ request }) => request)).toMatchObject(
      Array(calls).fill({ volumeId: "handle1", nodeId: "nodeID1" }),
    );
    expect(world.driver.overlaps()).toEqual([]);
  });

  test("its volume keeps its finalizer until it is detached", async () => {
    const script = { ...waiting(), ControllerUnpublishVolume: [step.waitFor("detach")] };
    await using world = await startWorld({ ownDriver: true, driver: { script } });
    await removedWhileAttaching(world);
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    world.driver.release("go");
    await world.driver.called("ControllerUnpublishVolume");
    expect((await world.get(PersistentVolume, "pv1")).metadata?.finalizers).toContain(world.finalizer);
    world.driver.release("detach");
    await volumeFinalizerRemoved(world);
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  });

  test("a successor attaches the volume again, and nobody detaches it", async () => {
    await using world = await startWorld({ ownDriver: true, driver: { script: waiting() } });
    await removedWhileAttaching(world);
    await world.create(VolumeAttachment, attachment());
    world.driver.release("go");
    await world.until(({ status }) => status?.attached);
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
    await world.admin.delete(VolumeAttachment, { name: "va" });
    await world.untilGone(VolumeAttachment, "va");
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  });
});

test("an attachment that is deleted as usual is detached once", async () => {
  await using world = await startWorld();
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.create(VolumeAttachment, attachment());
  await world.until(({ status }) => status?.attached);
  await world.admin.delete(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  await world.admin.delete(PersistentVolume, { name: "pv1" });
  await volumeFinalizerRemoved(world);
  expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
});

/** What a killed process leaves: a volume that is attached, and no attachment. */
async function leftAttached(object: V1VolumeAttachment = prepared(), script?: Script): Promise<AttacherWorld> {
  const volumes = [{ id: "handle1", publishedTo: ["nodeID1"] }, { id: "handle2" }];
  const world = await startWorld({ stopped: true, ownDriver: true, driver: { volumes, ...(script && { script }) } });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
  await world.create(VolumeAttachment, object);
  await world.cluster.removeUnderFinalizers(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  return world;
}

async function deleteVolume(world: AttacherWorld): Promise<void> {
  await world.admin.delete(PersistentVolume, { name: "pv1" });
  await world.untilTrue(async () => !(await world.get(PersistentVolume, "pv1")).metadata?.finalizers?.includes(world.finalizer));
}

/** A real server can neither be made to fail nor to forget. */
const isReal = process.env.TESTCLUSTER === "real";

describe("an attachment that was deleted despite our finalizer while no process was watching", () => {
  test.each<[string, V1VolumeAttachment]>([
    ["of a volume", prepared()],
    ["of a volume described in it", prepared({ source: { inlineVolumeSpec: inlineSpec() } })],
  ])("its volume is detached: %s", async (_what, object) => {
    await using world = await leftAttached(object);
    await world.run();
    await world.driver.called("ControllerUnpublishVolume");
    await world.untilTrue(() => world.driver.publishedTo("handle1").length === 0);
    expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
    expect(await world.refused()).toEqual(["404 get volumeattachments va"]);
  });

  test("its volume keeps its finalizer until it is detached", async () => {
    await using world = await leftAttached(prepared(), { ControllerUnpublishVolume: [step.waitFor("detach")] });
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.run();
    await world.driver.called("ControllerUnpublishVolume");
    expect((await world.get(PersistentVolume, "pv1")).metadata?.finalizers).toContain(world.finalizer);
    world.driver.release("detach");
    await deleteVolume(world);
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  });

  test.skipIf(isReal)("reading the history is retried", async () => {
    await using world = await leftAttached();
    const match = { verb: "list", resource: "volumeattachments" };
    world.cluster.embedded?.faults.add({ match, action: { do: "status", code: 500 }, times: 1 });
    await world.run();
    await world.driver.called("ControllerUnpublishVolume");
  });

  test.skipIf(isReal)("a history that the server has compacted delays nothing", async () => {
    await using world = await leftAttached();
    await world.cluster.compact();
    await world.run();
    await deleteVolume(world);
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
  });

  test("a successor keeps the volume attached", async () => {
    await using world = await leftAttached();
    await world.create(VolumeAttachment, attachment());
    await world.run();
    await world.until(({ status }) => status?.attached);
    // Volumes lose their finalizer only after the history was read.
    await world.create(
      PersistentVolume,
      volume({ metadata: { name: "pv2", finalizers: [foreign, finalizer] }, csi: { volumeHandle: "handle2" } }),
    );
    await world.admin.delete(PersistentVolume, { name: "pv2" });
    await world.untilTrue(async () => !(await world.get(PersistentVolume, "pv2")).metadata?.finalizers?.includes(world.finalizer));
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
  });
});

test.each<[string, Parameters<typeof attachment>[0]]>([
  ["that was detached", prepared()],
  ["of another driver", { metadata: { finalizers: [foreign] }, spec: { attacher: "other.example.com" } }],
  ["that never was ours", { metadata: { finalizers: [foreign] } }],
])("an attachment in the history %s is ignored", async (_what, parts) => {
  await using world = await startWorld({ stopped: true });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
  await world.create(VolumeAttachment, attachment(parts));
  await world.admin.delete(VolumeAttachment, { name: "va" });
  if (parts?.metadata) await world.admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ metadata: { finalizers: null } }));
  await world.untilGone(VolumeAttachment, "va");
  await world.run();
  await deleteVolume(world);
  expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
});
