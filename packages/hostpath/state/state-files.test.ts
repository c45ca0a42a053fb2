import { describe, expect, test } from "bun:test";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@csi-sidecars/base";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { block, create, GiB, named, publish, snap } from "../testing/requests.ts";
import { journalLine } from "./journal.ts";
import { openState } from "./open-state.ts";

/** A driver that remembers something of every kind. */
async function fullWorld(): Promise<World> {
  const world = await startWorld({ attach: true, publishReadonly: true, modify: true, capacity: { fast: 100n * GiB } });
  const { controller, groupController } = world.client;
  const a = await create(world, { ...named("a"), parameters: { kind: "fast", ä: "ö" }, mutableParameters: { m: "1" } });
  const b = await create(world, { ...named("b"), volumeCapabilities: [block()] });
  await controller.controllerPublishVolume({ volumeId: a, nodeId: "node-1", volumeCapability: {}, readonly: true });
  await publish(world, a);
  await snap(world, "s", a);
  await snap(world, "t", a);
  await snap(world, "u", b);
  await groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: [a, b] });
  return world;
}

describe("what the driver remembers is the same", () => {
  test.each(["stop", "kill"] as const)("after %s and a new start", async (how) => {
    await using world = await fullWorld();
    const before = world.driver.state;
    expect(before.snapshots).toHaveLength(5);
    await world.restart(how);
    expect(world.driver.state).toEqual(before);
    await world.restart(how);
    expect(world.driver.state).toEqual(before);
  });

  test("a graceful stop leaves everything in state.json, readable by its owner only", async () => {
    await using world = await fullWorld();
    await world.driver.stop();
    expect(await readFile(join(world.stateDir, "state.journal"), "utf8")).toBe("");
    expect((await stat(join(world.stateDir, "state.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(world.stateDir)).mode & 0o777).toBe(0o750);
    const state = JSON.parse(await readFile(join(world.stateDir, "state.json"), "utf8"));
    expect(Object.keys(state)).toEqual(["Volumes", "Snapshots", "GroupSnapshots"]);
    expect(state.Volumes[0]).toMatchObject({ VolName: "a", Attached: true, ReadOnlyAttach: true, Kind: "fast", VolAccessType: 0 });
  });
});

describe("a state file of the Go driver", () => {
  test("is understood", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
    await writeFile(
      join(folder, "state.json"),
      JSON.stringify({
        Volumes: [
          {
            VolName: "a",
            VolID: "id-a",
            VolSize: 1024,
            VolPath: join(folder, "id-a"),
            VolAccessType: 1,
            ParentVolID: "",
            ParentSnapID: "",
            Ephemeral: false,
            NodeID: "",
            Kind: "",
            ReadOnlyAttach: true,
            Attached: true,
            Staged: ["/s"],
            Published: ["/t"],
          },
        ],
        Snapshots: [
          {
            Name: "s",
            Id: "id-s",
            VolID: "id-a",
            Path: join(folder, "id-s.snap"),
            CreationTime: { seconds: 5, nanos: 6 },
            SizeBytes: 1024,
            ReadyToUse: true,
          },
        ],
        GroupSnapshots: null,
      }),
    );
    const state = await openState({ stateDir: folder, nodeId: "node-1", log: silentLogger });
    expect(state.volumes.named("a")).toMatchObject({
      id: "id-a",
      size: 1024n,
      accessType: "block",
      attachments: [{ nodeId: "node-1", readOnly: true }],
      staged: ["/s"],
      published: [{ target: "/t", readOnly: false }],
    });
    expect(state.snapshots.get("id-s")).toMatchObject({ accessType: "block", creationTime: { seconds: 5n, nanos: 6 } });
    await state.close();
    await rm(folder, { recursive: true });
  });
});

describe("a damaged state", () => {
  const remedy = "Nothing was changed. Restore the file from a copy, or move the whole state directory away";
  const good = '{"Volumes":[],"Snapshots":[],"GroupSnapshots":[]}';
  test.each<[string, string, string, string]>([
    ["cut off", "state.json", good.slice(0, 20), "is malformed"],
    ["empty", "state.json", "", "is malformed"],
    ["a list", "state.json", "[]", "is malformed (state is not an object)"],
    ["a volume without an id", "state.json", '{"Volumes":[{"VolName":"a"}]}', "is malformed (state.Volumes[0].VolID is not an id"],
    ["a volume whose id is a path", "state.json", '{"Volumes":[{"VolID":"../x"}]}', "is malformed (state.Volumes[0].VolID is not an id"],
    [
      "a volume that is called as something else",
      "state.json",
      '{"Volumes":[{"VolID":".pending"}]}',
      "is malformed (state.Volumes[0].VolID",
    ],
    ["another format", "state.json", '{"Volumes":{"version":2}}', "is malformed (state.Volumes is not a list)"],
    [
      "a size that is no number",
      "state.json",
      '{"Volumes":[{"VolID":"a","VolSize":"big"}]}',
      "is malformed (state.Volumes[0].VolSize is not an integer)",
    ],
    [
      "a line that does not match its checksum",
      "state.journal",
      '00000000 [{"Remove":"volume","Id":"x"}]\n',
      "line 1 does not match its checksum",
    ],
    [
      "a line that is no change",
      "state.journal",
      journalLine('[{"Remove":"everything"}]'),
      "line 1 is malformed (changes[0] is no change)",
    ],
  ])("%s: the driver does not start, and says what to do", async (_, file, content, expected) => {
    const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
    await writeFile(join(folder, file), content);
    const error = await openState({ stateDir: folder, nodeId: "n", log: silentLogger }).catch(String);
    expect(error).toContain(`StateFileError: ${join(folder, file)}: ${expected}`);
    expect(error).toContain(remedy);
    expect(await readFile(join(folder, file), "utf8")).toBe(content);
    await rm(folder, { recursive: true });
  });

  test("in the middle of the journal is never skipped", async () => {
    await using world = await startWorld();
    await create(world, named("a"));
    await create(world, named("b"));
    await world.driver.kill();
    const file = join(world.stateDir, "state.journal");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('"VolName":"a"', '"VolName":"x"'));
    expect(await outcome(world.restart("kill"))).toContain("line 1 does not match its checksum");
  });

  test("a state that cannot be read because of where it is", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
    await mkdir(join(folder, "state.json"));
    const error = await openState({ stateDir: folder, nodeId: "n", log: silentLogger }).catch(String);
    expect(error).toContain(`${join(folder, "state.json")}: cannot be read`);
    await rm(folder, { recursive: true });
  });
});

test("a line that was being written when the process died is forgotten, and the journal goes on after it", async () => {
  await using world = await startWorld();
  const a = await create(world, named("a"));
  await world.driver.kill();
  await appendFile(join(world.stateDir, "state.journal"), 'abcdef01 [{"Volume":{"VolID":"half');
  await world.restart("kill");
  expect(world.driver.state.volumes.map(({ id }) => id)).toEqual([a]);
  const b = await create(world, named("b"));
  await world.restart("kill");
  expect(world.driver.state.volumes.map(({ id }) => id)).toEqual([a, b]);
});

test.each(["state", "x".repeat(200)])("a second driver does not work in the same directory, whatever its name", async (name) => {
  const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
  await using world = await startWorld({ stateDir: join(folder, name) });
  const second = startWorld({ stateDir: join(folder, name) });
  expect(await second.then(() => "started", String)).toMatch(
    /--statedir \S+ cannot be used: .*: another process listens there\. A driver needs/,
  );
  await world.driver.kill();
  await world.restart("stop");
  await world.driver.stop();
  await rm(folder, { recursive: true });
});

test("a checkpoint that cannot be written is tried again now and then, and its absence harms nothing", async () => {
  const log = recordingLogger();
  await using world = await startWorld({ log });
  const inTheWay = join(world.stateDir, "state.json.tmp");
  await mkdir(inTheWay);
  const volumeId = await create(world, named("a"));
  for (let i = 0; i < 1_100; i++) {
    await world.client.node.nodeStageVolume({ volumeId, stagingTargetPath: "/s", volumeCapability: {} });
    await world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: "/s" });
  }
  const before = world.driver.state;
  await world.driver.stop();
  const complaints = log.lines.filter(({ message }) => message.startsWith("Cannot write a checkpoint"));
  expect(complaints).toHaveLength(3);
  await rm(inTheWay, { recursive: true });
  await world.restart("stop");
  expect(world.driver.state).toEqual(before);
});

test("the journal is folded into state.json from time to time, and a crash in between harms nothing", async () => {
  await using world = await startWorld();
  const volumeId = await create(world, named("a"));
  for (let i = 0; i < 1_100; i++) {
    await world.client.node.nodeStageVolume({ volumeId, stagingTargetPath: "/s", volumeCapability: {} });
    await world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: "/s" });
  }
  const checkpoint = await readFile(join(world.stateDir, "state.json"), "utf8");
  expect(checkpoint).toContain(volumeId);
  const journal = await readFile(join(world.stateDir, "state.journal"), "utf8");
  expect(journal.split("\n").length).toBeLessThan(1_000);
  const before = world.driver.state;
  await world.driver.stop();
  await writeFile(join(world.stateDir, "state.journal"), journal);
  await world.restart("kill");
  expect(world.driver.state).toEqual(before);
});
