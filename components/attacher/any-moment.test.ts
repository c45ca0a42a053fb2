import { describe, expect, test } from "bun:test";
import { CSINode, isNotFound, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { lastStep, type Script, step, toldSteps } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, finalizer, volume } from "./testing/manifests.ts";

/** What the cluster does, and what it waits for. It must end in the same way whenever the process dies and is started again. */
interface Story {
  readonly script?: Script;
  readonly embeddedOnly?: true;
  tell(world: AttacherWorld): Promise<void>;
}

const real = process.env.TESTCLUSTER === "real";
const atOnce = real ? 1 : 6;
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
    embeddedOnly: true,
    async tell(world) {
      await world.create(VolumeAttachment, attachment());
      await world.driver.called("ControllerPublishVolume");
      const match = { verb: "delete", resource: "volumeattachments" };
      world.cluster.embedded?.faults.add({ match, action: { do: "overtakeDelete" }, times: 1 });
      await detach(world, "va");
    },
  },
};

describe("the process dies at any moment", () => {
  for (const [name, story] of Object.entries(stories)) {
    test.skipIf(real && story.embeddedOnly === true)(
      name,
      async () => {
        for (const when of ["before", "after"] as const) {
          for (let nth = 1; await surviveSome(story, nth, when); nth += atOnce);
        }
      },
      120_000,
    );
  }
});

/** Lives that begin one after the other on a real server, which all tests share, are lived at once on embedded ones. */
async function surviveSome(story: Story, from: number, when: "before" | "after"): Promise<boolean> {
  const lives = Array.from({ length: atOnce }, (_, i) => survives(story, from + i, when));
  return (await Promise.all(lives)).every(Boolean);
}

/** Tells the story with a process that dies of its n-th step and is started again; answers whether it came so far. */
async function survives(story: Story, nth: number, when: "before" | "after"): Promise<boolean> {
  const last = lastStep(nth, when);
  const script = { driver: { script: story.script ?? {} } };
  await using world = await startWorld({ ...script, flags: { timeout: 150 }, lastStep: last, stopped: true });
  for (const n of [1, 2]) await world.create(CSINode, csiNode(`node${n}`, `nodeID${n}`));
  await world.create(PersistentVolume, volume());
  const told = Promise.withResolvers<void>();
  const kubelet = async () => {
    await world.run();
    await Promise.race([told.promise, untilDead(world, told.promise)]);
    if (!world.dead) return;
    await world.stop();
    await world.run();
  };
  const supervised = kubelet();
  try {
    await story.tell(world);
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await world.untilTrue(() =>
      world.get(PersistentVolume, "pv1").then(({ metadata }) => !metadata?.finalizers?.includes(finalizer), isNotFound),
    );
    expect(world.driver.publishedTo("handle1")).toEqual([]);
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\nsteps: ${toldSteps(last)}`, { cause: error });
  } finally {
    told.resolve();
    await supervised;
  }
  return last.steps.length >= nth;
}

async function untilDead(world: AttacherWorld, over: Promise<void>): Promise<void> {
  let isOver = false;
  void over.then(() => (isOver = true));
  while (!isOver && !world.dead) await Bun.sleep(2);
}

/** Deletes an attachment and waits until it is gone. */
async function detach(world: AttacherWorld, name: string): Promise<void> {
  await world.admin.delete(VolumeAttachment, { name });
  await world.untilGone(VolumeAttachment, name);
}
