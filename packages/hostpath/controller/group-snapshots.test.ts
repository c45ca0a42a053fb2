import { describe, expect, test } from "bun:test";
import { mkdir, readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { create, fromSnapshot, named, snap } from "../testing/requests.ts";

describe("group snapshots", () => {
  test("of which one member cannot be removed are not removed at all", async () => {
    await using world = await startWorld();
    const sourceVolumeIds = [await create(world, named("a")), await create(world, named("b"))];
    const { groupSnapshot } = await world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds });
    const { groupSnapshotId = "", snapshots = [] } = groupSnapshot ?? {};
    const [first, second] = snapshots.map(({ snapshotId }) => `${snapshotId}.snap`);
    const inTheWay = join(world.stateDir, ".pending", second!);
    await mkdir(inTheWay);
    const remove = () => outcome(world.client.groupController.deleteVolumeGroupSnapshot({ groupSnapshotId }));
    expect(await remove()).toStartWith("Internal");
    expect(await readdir(world.stateDir)).toContain(first!);
    expect(world.driver.state.snapshots).toHaveLength(2);
    await rmdir(inTheWay);
    expect(await remove()).toBe("OK");
  });

  test("are cut together, found again, and deleted together", async () => {
    await using world = await startWorld();
    const sourceVolumeIds = [await create(world, named("a")), await create(world, named("b"))];
    const { groupSnapshot: group } = await world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds });
    expect(group?.readyToUse).toBe(true);
    expect(group?.snapshots.map(({ sourceVolumeId }) => sourceVolumeId)).toEqual(sourceVolumeIds);
    for (const member of group?.snapshots ?? []) {
      expect(member).toMatchObject({ groupSnapshotId: group!.groupSnapshotId, creationTime: group!.creationTime!, readyToUse: true });
    }
    expect(world.driver.state.snapshots.map(({ name }) => name)).toEqual(sourceVolumeIds.map((id) => `g-${id}`));

    await world.restart("kill");
    const { groupController, controller } = world.client;
    const again = { name: "g", sourceVolumeIds: sourceVolumeIds.toReversed() };
    expect((await groupController.createVolumeGroupSnapshot(again)).groupSnapshot).toEqual(group!);
    const groupSnapshotId = group!.groupSnapshotId;
    const snapshotIds = group!.snapshots.map(({ snapshotId }) => snapshotId);
    expect(
      (await groupController.getVolumeGroupSnapshot({ groupSnapshotId, snapshotIds: snapshotIds.toReversed() })).groupSnapshot,
    ).toEqual(group!);

    const [snapshotId = ""] = snapshotIds;
    expect(await outcome(controller.deleteSnapshot({ snapshotId }))).toStartWith(
      `InvalidArgument: snapshot ${snapshotId} belongs to group`,
    );
    expect((await controller.listSnapshots({ snapshotId })).entries[0]?.snapshot?.groupSnapshotId).toBe(groupSnapshotId);
    const wrong = { groupSnapshotId, snapshotIds: [snapshotId] };
    expect(await outcome(groupController.getVolumeGroupSnapshot(wrong))).toStartWith("InvalidArgument: snapshot_ids are not those");
    expect(await outcome(groupController.deleteVolumeGroupSnapshot(wrong))).toStartWith("InvalidArgument: snapshot_ids are not those");
    expect(await outcome(groupController.deleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds }))).toBe("OK");
    expect(world.driver.state).toMatchObject({ snapshots: [], groups: [] });
    expect((await readdir(world.stateDir)).filter((name) => name.endsWith(".snap"))).toEqual([]);
  });

  test.each([
    [
      "CreateVolumeGroupSnapshot without a name",
      "createVolumeGroupSnapshot",
      { sourceVolumeIds: ["x"] },
      "InvalidArgument: name missing in request",
    ],
    [
      "CreateVolumeGroupSnapshot without sources",
      "createVolumeGroupSnapshot",
      { name: "g" },
      "InvalidArgument: source_volume_ids missing in request",
    ],
    ["DeleteVolumeGroupSnapshot without an id", "deleteVolumeGroupSnapshot", {}, "InvalidArgument: group_snapshot_id missing in request"],
    ["DeleteVolumeGroupSnapshot of what is not there", "deleteVolumeGroupSnapshot", { groupSnapshotId: "x" }, "OK"],
    ["GetVolumeGroupSnapshot without an id", "getVolumeGroupSnapshot", {}, "InvalidArgument: group_snapshot_id missing in request"],
    [
      "GetVolumeGroupSnapshot of what is not there",
      "getVolumeGroupSnapshot",
      { groupSnapshotId: "x" },
      "NotFound: groupsnapshot id x does not exist in the groupsnapshots list",
    ],
  ] as const)("%s", async (_, method, request, expected) => {
    await using world = await startWorld();
    expect(await outcome(world.client.groupController[method](request))).toBe(expected);
  });

  test("of other volumes under the same name are refused", async () => {
    await using world = await startWorld();
    const [a, b] = [await create(world, named("a")), await create(world, named("b"))];
    await world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: [a] });
    const call = world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: [a, b] });
    expect(await outcome(call)).toStartWith("AlreadyExists");
  });

  test("leave nothing behind when a volume is unknown or a copy fails", async () => {
    let left = 1;
    await using world = await startWorld({
      runProgram: async () => {
        if (left-- <= 0) throw new Error("tar failed: disk full");
        return "";
      },
    });
    const [a, b] = [await create(world, named("a")), await create(world, named("b"))];
    const group = (sourceVolumeIds: string[]) =>
      outcome(world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds }));
    expect(await group([a, "x"])).toStartWith("NotFound");
    expect(await group([a, b])).toStartWith("Internal");
    expect(world.driver.state.snapshots).toEqual([]);
    expect(await readdir(join(world.stateDir, ".pending"))).toEqual([]);
  });

  test("do not take the name of a snapshot", async () => {
    await using world = await startWorld();
    const a = await create(world, named("a"));
    await snap(world, `g-${a}`, a);
    expect(await outcome(world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: [a] }))).toStartWith(
      "AlreadyExists",
    );
  });

  test("become ready later, when told to", async () => {
    await using world = await startWorld({ backend: "memory" });
    const sourceVolumeIds = [await create(world, named("a"))];
    world.driver.script.groupSnapshot.readyAfter({ calls: 1 });
    const ready = async () =>
      (await world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds })).groupSnapshot?.readyToUse;
    expect([await ready(), await ready()]).toEqual([false, true]);
  });

  test("have members that become ready with them, whichever call asks", async () => {
    await using world = await startWorld();
    const { controller, groupController } = world.client;
    const sourceVolumeIds = [await create(world, named("a")), await create(world, named("b"))];
    world.driver.script.groupSnapshot.readyAfter({ calls: 2 });
    const { groupSnapshot } = await groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds });
    const { groupSnapshotId = "", snapshots = [], readyToUse } = groupSnapshot ?? {};
    expect([readyToUse, ...snapshots.map((member) => member.readyToUse)]).toEqual([false, false, false]);
    const [snapshotId = ""] = snapshots.map((member) => member.snapshotId);
    const restored = { ...named("restored"), ...fromSnapshot(snapshotId) };
    expect(await outcome(controller.createVolume(restored))).toBe(`Aborted: snapshot ${snapshotId} is not yet ready to use`);
    const ready = async () => (await groupController.getVolumeGroupSnapshot({ groupSnapshotId })).groupSnapshot?.readyToUse;
    expect([await ready(), await ready()]).toEqual([false, true]);
    expect((await controller.getSnapshot({ snapshotId })).snapshot?.readyToUse).toBe(true);
    expect(await outcome(controller.createVolume(restored))).toBe("OK");
  });

  test("can be switched off", async () => {
    await using world = await startWorld({ groupSnapshots: false });
    expect(await outcome(world.client.groupController.groupControllerGetCapabilities({}))).toStartWith("Unimplemented");
    expect(await outcome(world.client.groupController.createVolumeGroupSnapshot({ name: "g" }))).toStartWith("Unimplemented");
  });
});
