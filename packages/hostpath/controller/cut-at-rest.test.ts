import { describe, expect, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runProgram } from "../run-program.ts";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { block, create, fromSnapshot, MiB, mount } from "../testing/requests.ts";

const capabilities = { mount: mount(), block: block() };
type Access = keyof typeof capabilities;

/** Two volumes, and a pod that writes the same number to both after each copy, so many times. */
async function writtenWorld(access: Access, times: number) {
  const volumes: string[] = [];
  const file = (id: string) => (access === "mount" ? join(world.stateDir, id, "file") : join(world.stateDir, id));
  let [written, copies] = [0, 0];
  const write = async () => {
    written++;
    for (const id of volumes) await writeFile(file(id), `write ${written}`, { flag: access === "mount" ? "w" : "r+" });
  };
  const world: World = await startWorld({
    async runProgram(program, args) {
      const output = await runProgram(program, args);
      const isCopy = args.some((arg) => arg.includes(".snap")) && !args.includes("-xzf") && volumes.length === 2;
      if (isCopy && copies++ < times) await write();
      return output;
    },
  });
  const request = { volumeCapabilities: [capabilities[access]], capacityRange: { requiredBytes: MiB } };
  const ids = [await create(world, { name: "a", ...request }), await create(world, { name: "b", ...request })];
  volumes.push(...ids);
  await write();
  const restore = async (snapshotId: string) => {
    const id = await create(world, { name: `of-${snapshotId}`, ...request, ...fromSnapshot(snapshotId) });
    return (await readFile(file(id), "utf8")).replaceAll("\0", "");
  };
  const left = async () => (await readdir(world.stateDir)).filter((name) => name.endsWith(".snap"));
  const pending = () => readdir(join(world.stateDir, ".pending"));
  return Object.assign(world, { volumes: ids, restore, left, pending });
}

describe.each<Access>(["mount", "block"])("while a %s volume is written to", (access) => {
  test("a group snapshot is cut again until its members show the same moment", async () => {
    await using world = await writtenWorld(access, 1);
    const { groupSnapshot } = await world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: world.volumes });
    const contents: string[] = [];
    for (const { snapshotId } of groupSnapshot?.snapshots ?? []) contents.push(await world.restore(snapshotId));
    expect(contents).toEqual(["write 2", "write 2"]);
    expect(await world.left()).toHaveLength(2);
    expect(await world.pending()).toEqual([]);
  });

  test("a group snapshot of volumes that never rest is aborted, and nothing of it is left", async () => {
    await using world = await writtenWorld(access, Number.POSITIVE_INFINITY);
    const call = world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: world.volumes });
    expect(await outcome(call)).toBe(
      `Aborted: volume ${world.volumes[0]} never rests: the snapshots of group g would not show the same moment`,
    );
    expect(world.driver.state).toMatchObject({ snapshots: [], groups: [] });
    expect([await world.left(), await world.pending()]).toEqual([[], []]);
  });

  test.each([
    [1, "write 2"],
    [Number.POSITIVE_INFINITY, "write 5"],
  ])("a snapshot is cut again, and is the last cut of a volume that never rests: %d writes", async (times, expected) => {
    await using world = await writtenWorld(access, times);
    const [sourceVolumeId = ""] = world.volumes;
    const { snapshot } = await world.client.controller.createSnapshot({ name: "s", sourceVolumeId });
    expect(await world.restore(snapshot?.snapshotId ?? "")).toBe(expected);
    expect([await world.left(), await world.pending()]).toEqual([[`${snapshot?.snapshotId}.snap`], []]);
  });
});
