import { expect, test } from "bun:test";
import { VolumeSnapshotClass } from "@csi-sidecars/kube";
import { type CrashPoint, crashAtEveryStep, type Script, step, withRestart } from "@csi-sidecars/testcluster";
import { type ContentWorld, isMarked, startWorld, type WorldOptions } from "./testing/content-world.ts";
import { className, preProvisioned, snapshotClass } from "./testing/objects.ts";

/** What the cluster does, and what it waits for. It must end in the same way whenever the process crashes and is started again. */
interface Scenario {
  readonly driver?: WorldOptions["driver"];
  readonly script?: Script;
  /** How many snapshots the storage has in the end. */
  readonly snapshots: number;
  run(world: ContentWorld): Promise<void>;
}

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 6 };

async function untilSettled(world: ContentWorld): Promise<void> {
  await world.untilReady();
  expect(isMarked(await world.content())).toBe(false);
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "a snapshot is taken": {
    snapshots: 1,
    async run(world) {
      await world.addContent();
      await untilSettled(world);
    },
  },
  "a snapshot is ready later": {
    driver: { snapshotsReady: { afterAnswers: 2 } },
    snapshots: 1,
    async run(world) {
      await world.addContent();
      await untilSettled(world);
    },
  },
  "answers are lost, and the driver fails": {
    script: { CreateSnapshot: [step.lost, step.fail("Internal"), step.lostBefore, step.fail("Unavailable")] },
    snapshots: 1,
    async run(world) {
      await world.addContent();
      await untilSettled(world);
    },
  },
  "a snapshot is taken and deleted": {
    script: { DeleteSnapshot: [step.lost, step.fail("Internal")] },
    snapshots: 0,
    async run(world) {
      await world.addContent();
      await untilSettled(world);
      await world.abandon();
      await world.untilGone();
    },
  },
  "a snapshot is deleted while it is taken": {
    script: { CreateSnapshot: [step.fail("Unavailable", "away", { effect: true }), step.delay(20)] },
    snapshots: 0,
    async run(world) {
      await world.addContent();
      await world.driver.called("CreateSnapshot");
      await world.abandon();
      await world.untilGone();
    },
  },
  "a snapshot and its class are deleted while it is taken": {
    script: { CreateSnapshot: [step.lost, step.fail("Aborted")] },
    snapshots: 0,
    async run(world) {
      await world.addContent();
      await world.driver.called("CreateSnapshot");
      await world.admin.delete(VolumeSnapshotClass, { name: className });
      await world.abandon();
      await world.untilGone();
    },
  },
  "a class is created later": {
    snapshots: 1,
    async run(world) {
      await world.admin.delete(VolumeSnapshotClass, { name: className });
      await world.addContent();
      await world.until(({ status }) => status?.error);
      await world.create(VolumeSnapshotClass, snapshotClass());
      await untilSettled(world);
    },
  },
  "a snapshot that an administrator has named is retained, another one deleted": {
    snapshots: 1,
    async run(world) {
      await world.addContent({ spec: { deletionPolicy: "Retain" } });
      const { status } = await world.untilReady();
      await world.abandon();
      await world.untilGone();
      await world.addContent({ name: "named", spec: preProvisioned(status?.snapshotHandle ?? "") });
      await world.untilReady("named");
      await world.abandon("named");
      await world.untilGone("named");
      await world.addContent({ name: "last" });
      await world.untilReady("last");
    },
  },
};

for (const [what, { driver, script, snapshots, run }] of Object.entries(scenarios)) {
  test(`a crash at any step: ${what}`, async () => {
    const once = async (crashPoint: CrashPoint) => {
      await using world = await startWorld({ crashPoint, stopped: true, driver: { ...driver, ...(script && { script }) } });
      await withRestart(world, () => run(world));
      expect(world.driver.snapshots.size).toBe(snapshots);
    };
    await crashAtEveryStep(once, runs);
  }, 300_000);
}
