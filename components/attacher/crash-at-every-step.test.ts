import { expect, test } from "bun:test";
import { CSINode, isNotFound, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { type CrashPoint, crashAtEveryStep, type Script, step, withRestart } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "./testing/attacher-world.ts";
import { attachment, csiNode, volume } from "./testing/objects.ts";

/** What the cluster does, and what it waits for. It must end in the same way whenever the process crashes and is started again. */
interface Scenario {
  readonly script?: Script;
  run(world: AttacherWorld): Promise<void>;
}

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 6 };
const second = attachment({ metadata: { name: "va2" }, spec: { nodeName: "node2" } });

const scenarios: Readonly<Record<string, Scenario>> = {
  "a volume is attached and detached": {
    async run(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attached);
      await detach(world, "va");
    },
  },
  "answers of the driver are lost": {
    script: { ControllerPublishVolume: [step.lost, step.lost], ControllerUnpublishVolume: [step.lost, step.lost] },
    async run(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attached);
      await detach(world, "va");
    },
  },
  "an attachment is deleted while the driver attaches": {
    script: { ControllerPublishVolume: [step.hangAfter] },
    async run(world) {
      await world.create(VolumeAttachment, attachment());
      await world.driver.called("ControllerPublishVolume");
      await detach(world, "va");
    },
  },
  "the driver refuses to attach": {
    script: { ControllerPublishVolume: Array(20).fill(step.fail("Internal")) },
    async run(world) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attachError);
      await detach(world, "va");
    },
  },
  "a volume moves to another node": {
    async run(world) {
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
    async run(world) {
      await world.create(VolumeAttachment, attachment());
      await world.driver.called("ControllerPublishVolume");
      await world.cluster.removeUnderFinalizers(VolumeAttachment, { name: "va" });
      await world.untilGone(VolumeAttachment, "va");
    },
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 120_000);
}

async function runScenario({ script = {}, run }: Scenario, crashPoint: CrashPoint): Promise<void> {
  await using world = await startWorld({ ownDriver: true, driver: { script }, flags: { timeout: 150 }, crashPoint, stopped: true });
  for (const n of [1, 2]) await world.create(CSINode, csiNode(`node${n}`, `nodeID${n}`));
  await world.create(PersistentVolume, volume());
  await withRestart(world, async () => {
    await run(world);
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
