import { describe, expect, test } from "bun:test";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ProgramFailure, runProgram } from "../run-program.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, fromSnapshot, fromVolume, GiB, MiB, mount, named, snap } from "../testing/requests.ts";

const size = (requiredBytes: bigint) => ({ capacityRange: { requiredBytes } });

describe("a volume with a source", () => {
  test("has its content, and room for more", async () => {
    await using world = await startWorld();
    const source = await create(world, named("source"));
    await writeFile(join(world.stateDir, source, "file"), "content");
    const snapshot = await snap(world, "snapshot", source);
    await writeFile(join(world.stateDir, source, "file"), "changed since");
    await world.client.controller.deleteVolume({ volumeId: await create(world, { ...named("deleted"), ...fromVolume(source) }) });
    const larger = size(2n * GiB);
    const { volume: restored } = await world.client.controller.createVolume({ ...named("restored"), ...larger, ...fromSnapshot(snapshot) });
    const { volume: cloned } = await world.client.controller.createVolume({ ...named("cloned"), ...fromVolume(source) });
    expect(restored).toMatchObject({ capacityBytes: 2n * GiB, contentSource: fromSnapshot(snapshot).volumeContentSource });
    expect(await readFile(join(world.stateDir, restored!.volumeId, "file"), "utf8")).toBe("content");
    expect(cloned).toMatchObject({ capacityBytes: GiB, contentSource: fromVolume(source).volumeContentSource });
    expect(await readFile(join(world.stateDir, cloned!.volumeId, "file"), "utf8")).toBe("changed since");
  });

  test("has its blocks, with holes after them where it is larger", async () => {
    await using world = await startWorld();
    const blocks = (name: string, requiredBytes: bigint) => ({ name, volumeCapabilities: [block()], ...size(requiredBytes) });
    const source = await create(world, blocks("source", 2n * MiB));
    await writeFile(join(world.stateDir, source), "before", { flag: "r+" });
    const snapshot = await snap(world, "snapshot", source);
    await writeFile(join(world.stateDir, source), "after!", { flag: "r+" });
    const restored = await create(world, { ...blocks("restored", 4n * MiB), ...fromSnapshot(snapshot) });
    const content = await readFile(join(world.stateDir, restored));
    expect([content.length, content.toString("utf8", 0, 6), content.subarray(6).every((byte) => byte === 0)]).toEqual([
      Number(4n * MiB),
      "before",
      true,
    ]);
    expect(await outcome(world.client.controller.createVolume({ ...named("directory"), ...fromSnapshot(snapshot) }))).toStartWith(
      "InvalidArgument",
    );
  });

  test("takes the size of its source when none is asked for", async () => {
    await using world = await startWorld();
    const source = await create(world, named("source"));
    const request = { name: "clone", volumeCapabilities: [mount()], ...fromVolume(source) };
    expect((await world.client.controller.createVolume(request)).volume?.capacityBytes).toBe(GiB);
  });

  test.each([
    ["smaller than the source", (id: string) => ({ ...named("b"), ...size(MiB), ...fromVolume(id) }), "OutOfRange"],
    ["of another access type", (id: string) => ({ ...named("b"), volumeCapabilities: [block()], ...fromVolume(id) }), "InvalidArgument"],
  ])("cannot be %s", async (_, request, expected) => {
    await using world = await startWorld();
    const source = await create(world, named("a"));
    expect(await outcome(world.client.controller.createVolume(request(source)))).toStartWith(expected);
  });

  test("waits for a snapshot to become ready", async () => {
    await using world = await startWorld();
    world.driver.script.snapshot.readyAfter({ calls: 1 });
    const id = await create(world, named("a"));
    const snapshot = await snap(world, "s", id);
    const restored = { ...named("b"), ...fromSnapshot(snapshot) };
    expect(await outcome(world.client.controller.createVolume(restored))).toBe(`Aborted: snapshot ${snapshot} is not yet ready to use`);
    await snap(world, "s", id);
    expect(await outcome(world.client.controller.createVolume(restored))).toBe("OK");
  });

  test.each([
    ["have gone", 1, "cp: cannot stat 'a': No such file or directory\ncp: cannot open 'b' for reading: No such file or directory", "OK"],
    ["cannot be read", 1, "cp: cannot stat 'a': No such file or directory\ncp: cannot open 'b' for reading: Permission denied", "Internal"],
    ["have no room", 1, "cp: error writing 'a': No space left on device", "Internal"],
  ])("made of a volume whose files %s", async (_, status, words, expected) => {
    await using world = await startWorld({
      async runProgram(program, args) {
        await runProgram(program, args);
        throw new ProgramFailure(program, words, status);
      },
    });
    const source = await create(world, named("a"));
    await writeFile(join(world.stateDir, source, "file"), "content");
    expect(await outcome(world.client.controller.createVolume({ ...named("b"), ...fromVolume(source) }))).toStartWith(expected);
    expect(world.driver.state.volumes).toHaveLength(expected === "OK" ? 2 : 1);
  });

  test("is not made of a volume whose data is gone", async () => {
    await using world = await startWorld();
    const source = await create(world, named("a"));
    await rm(join(world.stateDir, source), { recursive: true });
    expect(await outcome(world.client.controller.createVolume({ ...named("b"), ...fromVolume(source) }))).toStartWith("Internal: ENOENT");
  });

  test("leaves nothing behind when copying fails", async () => {
    await using world = await startWorld({
      runProgram: async (program) => {
        throw new Error(`${program} failed: disk full`);
      },
    });
    const source = await create(world, named("a"));
    expect(await outcome(world.client.controller.createVolume({ ...named("b"), ...fromVolume(source) }))).toBe(
      "Internal: cp failed: disk full",
    );
    expect(await readdir(join(world.stateDir, ".pending"))).toEqual([]);
    expect(world.driver.state.volumes).toHaveLength(1);
  });
});
