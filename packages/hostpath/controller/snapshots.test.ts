import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FakeClock } from "@csi-sidecars/base/testing";
import { ProgramFailure, runProgram } from "../run-program.ts";
import { topologyKey } from "../settings.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, GiB, named, snap } from "../testing/requests.ts";
import { snapshotOptions } from "./snapshots.ts";

describe("CreateSnapshot", () => {
  test.each([
    ["without a name", { sourceVolumeId: "x" }, "InvalidArgument: name missing in request"],
    ["without a source", { name: "s" }, "InvalidArgument: source_volume_id missing in request"],
    ["of an unknown volume", { name: "s", sourceVolumeId: "x" }, "NotFound: volume id x does not exist in the volumes list"],
  ])("%s", async (_, request, expected) => {
    await using world = await startWorld();
    expect(await outcome(world.client.controller.createSnapshot(request))).toBe(expected);
  });

  test("answers size, time and readiness, and the same to the same name", async () => {
    const clock = new FakeClock(1_700_000_000_123);
    await using world = await startWorld({ clock });
    const [a, b] = [await create(world, named("a")), await create(world, named("b"))];
    const { snapshot } = await world.client.controller.createSnapshot({ name: "s", sourceVolumeId: a });
    expect(snapshot).toMatchObject({
      sourceVolumeId: a,
      sizeBytes: GiB,
      readyToUse: true,
      creationTime: { seconds: 1_700_000_000n, nanos: 123_000_000 },
      groupSnapshotId: "",
    });
    await world.restart("kill");
    expect((await world.client.controller.createSnapshot({ name: "s", sourceVolumeId: a })).snapshot).toEqual(snapshot!);
    expect(await outcome(world.client.controller.createSnapshot({ name: "s", sourceVolumeId: b }))).toBe(
      "AlreadyExists: snapshot with the same name: s but with different source volume already exist",
    );
    expect((await world.client.controller.getSnapshot({ snapshotId: snapshot!.snapshotId })).snapshot).toEqual(snapshot!);
  });

  test("becomes ready after some calls, or after a time", async () => {
    const clock = new FakeClock();
    await using world = await startWorld({ clock });
    const volume = await create(world, named("a"));
    const ready = async (name: string) =>
      (await world.client.controller.createSnapshot({ name, sourceVolumeId: volume })).snapshot?.readyToUse;
    world.driver.script.snapshot.readyAfter({ calls: 2 });
    expect([await ready("s"), await ready("s"), await ready("s")]).toEqual([false, false, true]);
    world.driver.script.snapshot.readyAfter({ ms: 500 });
    expect([await ready("t"), await ready("t")]).toEqual([false, false]);
    await clock.advance(500);
    expect(await ready("t")).toBe(true);
    world.driver.script.snapshot.readyAfter(undefined);
    expect(await ready("u")).toBe(true);
  });

  test("becomes ready for those who poll it by GetSnapshot or ListSnapshots too", async () => {
    await using world = await startWorld({ backend: "memory" });
    const { controller } = world.client;
    world.driver.script.snapshot.readyAfter({ calls: 3 });
    const snapshotId = await snap(world, "s", await create(world, named("a")));
    const got = async () => (await controller.getSnapshot({ snapshotId })).snapshot?.readyToUse;
    const listed = async () => (await controller.listSnapshots({ snapshotId })).entries[0]?.snapshot?.readyToUse;
    expect([await got(), await listed(), await listed()]).toEqual([false, false, true]);
  });

  test.each([
    [undefined, "mount", false],
    ["false", "mount", false],
    ["true", "mount", true],
    ["ABC", "mount", "InvalidArgument"],
    ["constructor", "mount", "InvalidArgument"],
    [undefined, "block", false],
    ["true", "block", false],
    ["ABC", "block", false],
  ] as const)("ignoreFailedRead %p of a %s volume", (value, accessType, expected) => {
    const options = () => snapshotOptions(value === undefined ? {} : { ignoreFailedRead: value }, accessType);
    if (typeof expected === "boolean") expect(options()).toEqual({ ignoreFailedRead: expected });
    else expect(options).toThrow(expected);
  });

  test.each([
    [1, "OK"],
    [2, "Internal: tar failed: file changed as we read it"],
  ])("of a volume that is written to: tar ends with %d", async (code, expected) => {
    await using world = await startWorld({
      async runProgram(program, args) {
        await runProgram(program, args);
        throw new ProgramFailure("tar", "file changed as we read it", code);
      },
    });
    const sourceVolumeId = await create(world, named("a"));
    expect(await outcome(world.client.controller.createSnapshot({ name: "s", sourceVolumeId }))).toBe(expected);
    expect(world.driver.state.snapshots).toHaveLength(expected === "OK" ? 1 : 0);
  });

  test("passes ignoreFailedRead on", async () => {
    const runs: (readonly string[])[] = [];
    await using world = await startWorld({
      runProgram: async (_, args) => {
        runs.push(args);
        throw new Error("tar failed: seen enough");
      },
    });
    const sourceVolumeId = await create(world, named("a"));
    const request = { name: "s", sourceVolumeId, parameters: { ignoreFailedRead: "true" } };
    expect(await outcome(world.client.controller.createSnapshot(request))).toBe("Internal: tar failed: seen enough");
    expect(runs[0]).toContain("--ignore-failed-read");
    expect(await readdir(join(world.stateDir, ".pending"))).toEqual([]);
  });
});

describe("DeleteSnapshot and ListSnapshots", () => {
  test("one that is not there is deleted, one that is goes with its file", async () => {
    await using world = await startWorld();
    const { controller } = world.client;
    const id = await snap(world, "s", await create(world, named("a")));
    expect(existsSync(join(world.stateDir, `${id}.snap`))).toBe(true);
    expect(await outcome(controller.deleteSnapshot({}))).toBe("InvalidArgument: snapshot_id missing in request");
    expect(await outcome(controller.deleteSnapshot({ snapshotId: "x" }))).toBe("OK");
    expect(await outcome(controller.deleteSnapshot({ snapshotId: id }))).toBe("OK");
    expect(existsSync(join(world.stateDir, `${id}.snap`))).toBe(false);
    expect(await outcome(controller.getSnapshot({ snapshotId: id }))).toBe(
      `NotFound: snapshot id ${id} does not exist in the snapshots list`,
    );
    expect((await controller.listSnapshots({ snapshotId: id })).entries).toEqual([]);
  });

  test("by source come all of its snapshots, by an unknown one none", async () => {
    await using world = await startWorld();
    const [a, b] = [await create(world, named("a")), await create(world, { ...named("b"), volumeCapabilities: [block()] })];
    const expected = [await snap(world, "s", a), await snap(world, "t", a)].sort();
    await snap(world, "u", b);
    const list = async (filter: object) =>
      (await world.client.controller.listSnapshots(filter)).entries.map(({ snapshot }) => snapshot?.snapshotId ?? "");
    expect(await list({ sourceVolumeId: a })).toEqual(expected);
    expect(await list({ sourceVolumeId: a, snapshotId: expected[0] })).toEqual([expected[0]!]);
    expect(await list({ sourceVolumeId: b, snapshotId: expected[0] })).toEqual([]);
    expect(await list({ sourceVolumeId: "x" })).toEqual([]);
    await world.restart("stop");
    expect(await list({ sourceVolumeId: a })).toEqual(expected);
  });

  test("listing can be switched off", async () => {
    await using world = await startWorld({ listSnapshots: false });
    expect(await outcome(world.client.controller.listSnapshots({}))).toBe("Unimplemented: unsupported capability LIST_SNAPSHOTS");
  });
});

test("the topology of a snapshot is told and kept when that is asked for", async () => {
  await using world = await startWorld({ snapshotTopology: true });
  const sourceVolumeId = await create(world, named("a"));
  const at = (node: string) => ({ segments: { [topologyKey]: node } });
  const cut = (name: string, node: string) =>
    world.client.controller.createSnapshot({ name, sourceVolumeId, accessibilityRequirements: { requisite: [at(node)] } });
  expect((await cut("s", "node-1")).snapshot?.accessibleTopology).toEqual([at("node-1")]);
  expect(await outcome(cut("t", "node-2"))).toStartWith("ResourceExhausted");
  const everywhere = await snap(world, "e", await create(world, { ...named("b"), parameters: { noTopology: "true" } }));
  await world.restart("stop", { zones: { "node-1": "x", "node-2": "y", "node-3": "y" } });
  const { entries } = await world.client.controller.listSnapshots({ sourceVolumeId });
  expect((await world.client.controller.getSnapshot({ snapshotId: everywhere })).snapshot?.accessibleTopology).toEqual([]);
  expect(entries[0]?.snapshot?.accessibleTopology.map(({ segments }) => Object.values(segments))).toEqual([["x"], ["y"]]);
});
