import { describe, expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { managedByLabel, VolumeGroupSnapshotClass, VolumeSnapshotClass, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { installDefinitions, shortestResync, step, untilResynced } from "@csi-sidecars/testcluster";
import { contentOf, snapshotClass } from "../content/testing/objects.ts";
import { snapshotterRules } from "../rbac.ts";
import { beingCreated, groupClass, groupContent, preProvisioned } from "./testing/group-objects.ts";
import { type GroupWorld, grouping, startGroupWorld } from "./testing/group-world.ts";

test("the kinds of groups are installed after the start: it says what it waits for, and begins", async () => {
  const isOfGroups = ({ spec }: (typeof snapshotDefinitions)[number]) => JSON.stringify(spec).includes("groupsnapshot.storage.k8s.io");
  await using world = await startGroupWorld({ class: null, definitions: snapshotDefinitions.filter((each) => !isOfGroups(each)) });
  const waits = () => world.log.lines.filter(({ message }) => message === "Waiting for CustomResourceDefinitions to be installed");
  await world.untilTrue(() => waits().length > 0);
  await installDefinitions(world.admin, snapshotDefinitions.filter(isOfGroups));
  await world.create(VolumeGroupSnapshotClass, groupClass());
  await world.addContent();
  await world.until(({ status }) => status?.readyToUse);
  expect(waits().map(({ fields }) => fields.missing)).toEqual([
    "volumegroupsnapshotcontents.groupsnapshot.storage.k8s.io,volumegroupsnapshotclasses.groupsnapshot.storage.k8s.io",
  ]);
});

test("with --node-deployment only the contents of the node are served, with classes of nobody's", async () => {
  await using world = await startGroupWorld({ flags: { nodeDeployment: true }, env: { NODE_NAME: "node-1" } });
  const labelled = (name: string, node: string, volume: string) =>
    groupContent({ metadata: { name, labels: { [managedByLabel]: node } }, spec: { source: { volumeHandles: [volume] } } });
  await world.addContent(labelled("theirs", "node-2", "b"));
  await world.addContent(labelled("data", "node-1", "a"));
  await world.until(({ status }) => status?.readyToUse);
  // A label that comes later counts too.
  await world.patchContent({ metadata: { labels: { [managedByLabel]: "node-1" } } }, "theirs");
  await world.until(({ status }) => status?.error ?? status?.readyToUse, "theirs");
  expect(
    world
      .asked()
      .map(({ sourceVolumeIds }) => sourceVolumeIds[0])
      .slice(0, 2),
  ).toEqual(["a", "b"]);
});

async function addSingleContent(world: GroupWorld): Promise<void> {
  await world.create(VolumeSnapshotClass, snapshotClass());
  await world.create(VolumeSnapshotContent, contentOf({ spec: { source: { volumeHandle: "a" } } }));
}

test("nothing is asked of a driver whose gate is off, not even what it can do", async () => {
  await using world = await startGroupWorld({ gatesOff: ["CSIVolumeGroupSnapshot"] });
  await world.addContent();
  await addSingleContent(world);
  await world.driver.called("CreateSnapshot");
  await world.stop();
  expect(world.asked()).toEqual([]);
  expect(world.driver.calls("GroupControllerGetCapabilities")).toEqual([]);
});

describe("a driver that takes no group snapshots", () => {
  const without = (missing: Partial<typeof grouping>) => ({ driver: { capabilities: { ...grouping, ...missing } } });

  test.each([
    ["has the service without the capability", without({ groupController: [] })],
    ["does not have the service", without({ plugin: ["CONTROLLER_SERVICE"], groupController: [] })],
  ])("%s: that is logged, users are told, and what they delete goes", async (_, options) => {
    await using world = await startGroupWorld(options);
    await world.addContent();
    const cause = "rpc error: code = Unimplemented desc = method CreateVolumeGroupSnapshot not implemented";
    const failure = `failed to take group snapshot of the volumes [a b]: "${cause}"`;
    await world.untilEvent(`Warning GroupSnapshotCreationFailed: Failed to create group snapshot: ${failure}`);
    expect(world.log.lines.map(({ message }) => message)).toContain("The driver does not say that it takes group snapshots");
    await world.deleteContent();
    await world.untilGone();
    expect(world.driver.calls("DeleteVolumeGroupSnapshot")).toEqual([]);
  });

  test("and a role without the kinds of groups: nothing of them is asked for, and single snapshots are taken", async () => {
    const role = snapshotterRules().cluster.filter(({ apiGroups }) => !apiGroups.includes("groupsnapshot.storage.k8s.io"));
    await using world = await startGroupWorld({ ...without({ groupController: [] }), role });
    await addSingleContent(world);
    await world.driver.called("CreateSnapshot");
    await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Group snapshots may not be read")));
    expect(await world.refused()).toEqual([]);
  });

  test("one that an administrator has named goes too", async () => {
    await using world = await startGroupWorld(without({ groupController: [] }));
    await world.addContent(preProvisioned("group-1", ["s-1"]));
    await world.untilEvent("GroupSnapshotContentCheckandUpdateFailed");
    await world.deleteContent();
    await world.untilGone();
  });
});

test("a driver that cannot say whether it takes group snapshots is asked for them, and for single ones", async () => {
  await using world = await startGroupWorld({ stopped: true });
  world.driver.always("GroupControllerGetCapabilities", step.fail("Internal", "not today"));
  await world.run();
  await world.addContent();
  await world.until(({ status }) => status?.readyToUse);
  await addSingleContent(world);
  await world.driver.called("CreateSnapshot");
});

test("a stop waits for the call that is in flight, and for nothing that waits", async () => {
  await using world = await startGroupWorld({ flags: { retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 } });
  world.driver.script("CreateVolumeGroupSnapshot", step.fail("Internal"), step.waitFor("slow"));
  await world.addContent();
  await world.until(({ status }) => status?.error);
  await world.addContent(groupContent({ metadata: { name: "slow" }, spec: { source: { volumeHandles: ["a"] } } }));
  await world.driver.called("CreateVolumeGroupSnapshot", 2);
  const stopped = world.stop();
  world.driver.release("slow");
  await stopped;
  const { status, metadata } = await world.content("slow");
  expect([status?.readyToUse, metadata?.annotations?.[beingCreated]]).toEqual([true, undefined]);
});

test("a resync calls no driver for contents that ask for nothing, nor for others before their time", async () => {
  const flags = { ...shortestResync, retryIntervalStart: 3_600_000, retryIntervalMax: 3_600_000 };
  await using world = await startGroupWorld({ flags, stopped: true });
  await world.addContent(groupContent({ metadata: { name: "done" }, status: { volumeGroupSnapshotHandle: "g", readyToUse: true } }));
  world.driver.script("CreateVolumeGroupSnapshot", step.fail("Internal"));
  await world.addContent();
  await world.run();
  await world.until(({ status }) => status?.error);
  world.driver.settings.snapshotsReady = false;
  await world.witness();
  await world.until(({ metadata }) => metadata?.annotations?.[beingCreated] === undefined, "witness");
  await untilResynced(world, "csi-snapshotter-groupsnapshotcontent");
  await world.stop();
  expect(world.asked()).toHaveLength(1);
  expect(world.driver.calls("CreateVolumeGroupSnapshot")).toHaveLength(2);
  expect((await world.requests()).filter((request) => request.endsWith("done"))).toEqual([]);
});
