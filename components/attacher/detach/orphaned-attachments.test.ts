import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { type Script, step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, volume } from "./testing/manifests.ts";

/** While the driver attaches, a delete that read the attachment before it was prepared removes it. */
async function removedWhileAttaching(world: AttacherWorld): Promise<void> {
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.create(VolumeAttachment, attachment());
  await world.driver.called("ControllerPublishVolume");
  await world.cluster.removeUnderFinalizers(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
}

const volumeLetGo = (world: AttacherWorld) =>
  world.untilTrue(async () => !(await world.get(PersistentVolume, "pv1")).metadata?.finalizers?.includes(world.finalizer));

const waiting = (...after: NonNullable<Script["ControllerPublishVolume"]>): Script => ({
  ControllerPublishVolume: [step.waitFor("go", after[0] ?? step.act)],
});

describe("an attachment that was removed under our finalizer", () => {
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

  test("its volume is not let go before it is detached", async () => {
    const script = { ...waiting(), ControllerUnpublishVolume: [step.waitFor("detach")] };
    await using world = await startWorld({ ownDriver: true, driver: { script } });
    await removedWhileAttaching(world);
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    world.driver.release("go");
    await world.driver.called("ControllerUnpublishVolume");
    expect((await world.get(PersistentVolume, "pv1")).metadata?.finalizers).toContain(world.finalizer);
    world.driver.release("detach");
    await volumeLetGo(world);
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  });

  test("an attachment that takes its place attaches the volume again, and nobody detaches it", async () => {
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

test("an attachment that ends as it should is detached once", async () => {
  await using world = await startWorld();
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.create(VolumeAttachment, attachment());
  await world.until(({ status }) => status?.attached);
  await world.admin.delete(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  await world.admin.delete(PersistentVolume, { name: "pv1" });
  await volumeLetGo(world);
  expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
});
