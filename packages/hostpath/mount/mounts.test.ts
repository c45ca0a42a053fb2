import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { silentLogger } from "@csi-sidecars/base";
import type { RunProgram } from "../run-program.ts";
import type { VolumeRecord } from "../state/records.ts";
import { startWorld } from "../testing/driver-world.ts";
import { bindMounter, type LoopDevices } from "./bind-mounter.ts";
import { chooseMounter } from "./choose-mounter.ts";
import { parseMounts } from "./mountinfo.ts";

test("mount points are read with their spaces and backslashes", () => {
  const lines = [
    "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue",
    "37 35 98:0 / /with\\040space ro,noatime - ext4 /dev/sda rw",
    "38 35 98:0 / /tab\\011back\\134slash rw - ext4 /dev/sda rw",
    "",
  ];
  expect([...parseMounts(lines.join("\n"))]).toEqual([
    ["/mnt2", { readOnly: false }],
    ["/with space", { readOnly: true }],
    ["/tab\tback\\slash", { readOnly: false }],
  ]);
});

test("a failed unmount is an error, and nothing is removed", async () => {
  await using world = await startWorld();
  await writeFile(world.path("target"), "still mounted");
  const run: RunProgram = async (program) => {
    throw new Error(`${program} failed: target is busy`);
  };
  const mounter = bindMounter({ run, mounts: async () => new Map([[world.path("target"), { readOnly: false, capability: "" }]]) });
  const volume = { path: world.folder, accessType: "mount", published: [] as const } as Partial<VolumeRecord> as VolumeRecord;
  expect(await mounter.unpublish(volume, world.path("target")).catch(String)).toContain("target is busy");
  expect(existsSync(world.path("target"))).toBe(true);
});

test("a failed mount leaves no target behind", async () => {
  await using world = await startWorld();
  const run: RunProgram = async () => {
    throw new Error("mount failed: permission denied");
  };
  const mounter = bindMounter({ run, mounts: async () => new Map() });
  const volume = { path: world.folder, accessType: "mount" } as Partial<VolumeRecord> as VolumeRecord;
  expect(await mounter.publish(volume, { target: world.path("target"), readOnly: false, capability: "" }).catch(String)).toContain(
    "permission denied",
  );
  expect(existsSync(world.path("target"))).toBe(false);
});

test.each([
  ["no other target", [], ["attach", "detach"]],
  ["another target", [{ target: "/other", readOnly: false, capability: "" }], ["attach"]],
])("a failed mount of a block volume that has %s", async (_, published, expected) => {
  await using world = await startWorld();
  const used: string[] = [];
  const run: RunProgram = async () => {
    throw new Error("mount failed: permission denied");
  };
  const loops: LoopDevices = {
    attach: async () => String(used.push("attach")),
    detach: async () => void used.push("detach"),
    find: async () => undefined,
    refresh: async () => {},
  };
  const mounter = bindMounter({ run, loops, mounts: async () => new Map() });
  const volume = { path: world.folder, accessType: "block", published } as Partial<VolumeRecord> as VolumeRecord;
  expect(await mounter.publish(volume, { target: world.path("target"), readOnly: false, capability: "" }).catch(String)).toContain(
    "permission denied",
  );
  expect(used).toEqual([...expected]);
  expect(existsSync(world.path("target"))).toBe(false);
});

test("where mounts do not work, links are taken", async () => {
  const run: RunProgram = async () => {
    throw new Error("mount failed: permission denied");
  };
  expect((await chooseMounter("auto", run, silentLogger, tmpdir())).mode).toBe("symlink");
});
