import { expect, test } from "bun:test";
import { CSINode, isNotFound, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { type CrashPoint, crashAtEveryStep, type Script, step, withRestart } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, volume } from "./testing/manifests.ts";

/** What the cluster does, and what it waits for. It must end in the same way whenever the process dies and is started again. */
interface Story {
  readonly script?: Script;
  tell(world: AttacherWorld): Promise<void>;
}

/** A real server, which all tests share, makes each of the many lives slow: there only some of them are lived. */
const lives = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 6 };
const second = attachment({ metadata: { name: "va2" }, spec: { nodeName: "node2" } });

const stories: Readonly<Record<string, Story>> = {
  "a volume is attached and detached": {
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attached);
      await detach(world, "va");
    },
  },
  "answers of the driver are lost": {
    script: { ControllerPublishVolume: [step.lost, step.lost], ControllerUnpublishVolume: [step.lost, step.lost] },
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attached);
      await detach(world, "va");
    },
  },
  "an attachment is deleted while the driver attaches": {
    script: { ControllerPublishVolume: [step.hangAfter] },
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.driver.called("ControllerPublishVolume");
      await detach(world, "va");
    },
  },
  "the driver refuses to attach": {
    script: { ControllerPublishVolume: Array(20).fill(step.fail("Internal")) },
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attachError);
      await detach(world, "va");
    },
  },
  "a volume moves to another node": {
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attached);
      await world.admin.delete(VolumeAttachment, { name: "va" });
      await world.create(VolumeAttachment, second);
      await world.until(({ status }) => status?.attached, "va2");
      await world.untilGone(VolumeAttachment, "va");
      expect(world.driver.publishedTo("handle1")).toEqual(["nodeID2"]);
      await detach(world, "va2");
    },
  },
  "an attachment is removed under the finalizer while the driver attaches": {
    script: { ControllerPublishVolume: [step.delay(20)] },
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.driver.called("ControllerPublishVolume");
      await world.cluster.removeUnderFinalizers(VolumeAttachment, { name: "va" });
      await world.untilGone(VolumeAttachment, "va");
    },
  },
};

for (const [name, story] of Object.entries(stories)) {
  test(`the process dies at any moment: ${name}`, () => crashAtEveryStep((last) => live(story, last), lives), 120_000);
}

async function live({ script = {}, tell }: Story, last: CrashPoint): Promise<void> {
  await using world = await startWorld({ ownDriver: true, driver: { script }, flags: { timeout: 150 }, lastStep: last, stopped: true });
  for (const n of [1, 2]) await world.create(CSINode, csiNode(`node${n}`, `nodeID${n}`));
  await world.create(PersistentVolume, volume());
  await withRestart(world, async () => {
    await tell(world);
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    const isHeld = () =>
      world.get(PersistentVolume, "pv1").then(
        ({ metadata }) => metadata?.finalizers?.includes(world.finalizer) ?? false,
        (error: unknown) => !isNotFound(error),
      );
    await world.untilTrue(async () => !(await isHeld()));
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  });
}

/** Deletes an attachment and waits until it is gone. */
async function detach(world: AttacherWorld, name: string): Promise<void> {
  await world.admin.delete(VolumeAttachment, { name });
  await world.untilGone(VolumeAttachment, name);
}
