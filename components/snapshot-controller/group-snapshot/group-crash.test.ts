import { expect, test } from "bun:test";
import { groupSnapshotFinalizer, mergePatch, VolumeGroupSnapshot, VolumeGroupSnapshotContent, VolumeSnapshot } from "@csi-sidecars/kube";
import { type CrashPoint, crashAtEveryStep, withRestart } from "@csi-sidecars/testcluster";
import { driverName, type GroupWorld, inDefault, startGroupWorld } from "../testing/group-world.ts";

/** What users do, and what they wait for. It must end in the same way whenever the process crashes and is started again. */
type Scenario = (world: GroupWorld) => Promise<void>;

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 4 } : { atOnce: 6 };

const scenarios: Readonly<Record<string, Scenario>> = {
  async "a group is taken"(world) {
    await world.readyGroup();
    await expectWhole(world);
  },
  async "a group is taken and deleted"(world) {
    await world.readyGroup();
    await world.deleteGroup();
    await world.untilNothingIsLeft();
    expect([[...world.sidecar.groups], world.sidecar.deletedSnapshots]).toEqual([[], []]);
  },
  async "a group is deleted while it is taken"(world) {
    await world.addClass();
    await world.addClaim("a");
    await world.addGroup();
    await world.untilTrue(async () => (await world.groupContents()).length > 0);
    await world.deleteGroup();
    await world.untilNothingIsLeft();
    expect([...world.sidecar.groups]).toEqual([]);
  },
  async "a group is deleted while its snapshots are created"(world) {
    await world.addClass();
    for (const claim of ["a", "b"]) await world.addClaim(claim);
    await world.addGroup();
    await world.untilTrue(async () => (await world.snapshots()).length > 0);
    await world.deleteGroup();
    await world.untilNothingIsLeft();
    expect([...world.sidecar.groups]).toEqual([]);
  },
  async "a content is created when its group has gone"(world) {
    world.sidecar.takes = false;
    // Without a class it waits.
    const { name = "", namespace, uid } = (await world.addGroup()).metadata ?? {};
    const ref = inDefault(name);
    await world.admin.patch(VolumeGroupSnapshot, ref, mergePatch({ metadata: { finalizers: [groupSnapshotFinalizer.bound] } }));
    await world.deleteGroup();
    await world.untilGone(VolumeGroupSnapshot, ref);
    await world.create(VolumeGroupSnapshotContent, {
      metadata: { name: `groupsnapcontent-${uid}`, finalizers: [groupSnapshotFinalizer.content] },
      spec: {
        ...{ deletionPolicy: "Delete", driver: driverName, source: { volumeHandles: ["h"] } },
        volumeGroupSnapshotRef: { name, namespace, uid },
      } as never,
    });
    await world.untilNothingIsLeft();
  },
  async "a group is retained"(world) {
    await world.addClass("gold", { deletionPolicy: "Retain" });
    await world.addClaim("a");
    await world.addGroup();
    await world.untilGroup(({ status }) => status?.readyToUse);
    await world.deleteGroup();
    await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
    await world.untilTrue(async () => (await world.snapshots()).length === 0);
    expect([(await world.groupContents()).length, (await world.contents()).length, world.sidecar.groups.size]).toEqual([1, 1, 1]);
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 240_000);
}

async function runScenario(scenario: Scenario, crashPoint: CrashPoint): Promise<void> {
  await using world = await startGroupWorld({ crashPoint, stopped: true });
  await withRestart(world.controller, () => scenario(world));
}

/** One content of the group, and a snapshot and a content for each of its two claims, bound to each other. */
async function expectWhole(world: GroupWorld): Promise<void> {
  const [groups, contents, snapshots] = [await world.groupContents(), await world.contents(), await world.snapshots()];
  expect([groups.length, contents.length, snapshots.length, world.sidecar.groups.size]).toEqual([1, 2, 2, 1]);
  for (const { metadata, spec } of contents) {
    const { name = "", uid } = spec?.volumeSnapshotRef ?? {};
    const snapshot = await world.admin.get(VolumeSnapshot, inDefault(name));
    expect([snapshot.metadata?.uid, snapshot.status?.boundVolumeSnapshotContentName]).toEqual([uid, metadata?.name]);
  }
}
