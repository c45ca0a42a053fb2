import { expect, test } from "bun:test";
import { type CrashPoint, crashAtEveryStep, type Script, step, withRestart } from "@csi-sidecars/testcluster";
import { beingCreated, groupContent, preProvisioned } from "./testing/group-objects.ts";
import { type GroupWorld, startGroupWorld } from "./testing/group-world.ts";

/** What the cluster does, and what it waits for. It must end in the same way whenever the process crashes and is started again. */
interface Scenario {
  readonly script?: Script;
  /** How many group snapshots the driver has in the end. */
  readonly left: number;
  run(world: GroupWorld): Promise<void>;
}

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 4 };

const untilTaken = (world: GroupWorld) =>
  world.until(({ metadata, status }) => status?.readyToUse && metadata?.annotations?.[beingCreated] === undefined);

async function takeAndDelete(world: GroupWorld): Promise<void> {
  await world.addContent();
  await untilTaken(world);
  await world.deleteContent();
  await world.untilGone();
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "a group snapshot is taken": {
    left: 1,
    async run(world) {
      await world.addContent();
      const { status } = await untilTaken(world);
      const [group] = world.driver.groups.values();
      expect(status?.volumeGroupSnapshotHandle).toBe(group!.id);
      expect(status?.volumeSnapshotInfoList?.map(({ snapshotHandle }) => snapshotHandle)).toEqual([...group!.snapshotIds]);
      expect(status?.error).toBeUndefined();
    },
  },
  "a group snapshot is taken and deleted": { left: 0, run: takeAndDelete },
  "answers of the driver are lost": {
    script: {
      CreateVolumeGroupSnapshot: [step.lost, step.lostBefore, step.fail("Internal")],
      DeleteVolumeGroupSnapshot: [step.lost, step.lostBefore, step.fail("Internal")],
    },
    left: 0,
    run: takeAndDelete,
  },
  "a content is deleted while the driver takes its group snapshot": {
    script: { CreateVolumeGroupSnapshot: [step.delay(40), step.delay(40)] },
    left: 0,
    async run(world) {
      await world.addContent();
      await world.driver.called("CreateVolumeGroupSnapshot");
      await world.deleteContent();
      await world.untilGone();
    },
  },
  "a content is deleted at once": {
    left: 0,
    async run(world) {
      await world.addContent();
      await world.deleteContent();
      await world.untilGone();
    },
  },
  "a content that is to be retained is deleted": {
    left: 1,
    async run(world) {
      await world.addContent(groupContent({ spec: { deletionPolicy: "Retain" } }));
      await untilTaken(world);
      await world.deleteContent();
      await world.untilGone();
    },
  },
  "a pre-provisioned group snapshot is found and deleted": {
    left: 0,
    async run(world) {
      const { id, snapshotIds } = world.driver.addGroup(["a", "b"]);
      await world.addContent(preProvisioned(id, snapshotIds));
      await world.until(({ status }) => status?.readyToUse);
      await world.deleteContent();
      await world.untilGone();
    },
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 120_000);
}

async function runScenario({ script = {}, left, run }: Scenario, crashPoint: CrashPoint): Promise<void> {
  await using world = await startGroupWorld({ driver: { script }, flags: { timeout: 250 }, crashPoint, stopped: true });
  await withRestart(world, async () => {
    await run(world);
    expect([world.driver.groups.size, world.driver.snapshots.size]).toEqual([left, 2 * left]);
  });
}
