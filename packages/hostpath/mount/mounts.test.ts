import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@csi-sidecars/base";
import { type RunProgram, runProgram } from "../run-program.ts";
import type { VolumeRecord } from "../state/records.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, mount, named, publish } from "../testing/requests.ts";
import { bindMounter } from "./bind-mounter.ts";
import { chooseMounter } from "./choose-mounter.ts";
import { ownMounts, parseMounts } from "./mountinfo.ts";

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
  const mounter = bindMounter({ run, mounts: async () => new Map([[world.path("target"), { readOnly: false }]]) });
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
  expect(await mounter.publish(volume, { target: world.path("target"), readOnly: false }).catch(String)).toContain("permission denied");
  expect(existsSync(world.path("target"))).toBe(false);
});

test("where mounts do not work, links are taken", async () => {
  const run: RunProgram = async () => {
    throw new Error("mount failed: permission denied");
  };
  expect((await chooseMounter("auto", run, silentLogger)).mode).toBe("symlink");
});

const works = process.platform === "linux" && (await chooseMounter("auto", runProgram, silentLogger)).mode === "bind";
const loopsWork =
  works &&
  (await runProgram("losetup", ["--find"]).then(
    () => true,
    () => false,
  ));

describe.skipIf(!works)("real mounts (need root)", () => {
  test("data is written through, read-only is kept, a restart knows the mount, a full target is no reason to lose data", async () => {
    await using world = await startWorld({ mountMode: "auto" });
    expect(world.driver.mountMode).toBe("bind");
    const volumeId = await create(world, named("a"));
    const target = await publish(world, volumeId);
    expect((await ownMounts()).has(target)).toBe(true);
    await writeFile(join(target, "file"), "data");
    const readOnly = {
      volumeId,
      targetPath: world.path("with space"),
      stagingTargetPath: world.path("stage"),
      volumeCapability: mount(),
      readonly: true,
    };
    await world.client.node.nodePublishVolume(readOnly);
    expect(await writeFile(join(world.path("with space"), "x"), "").catch(String)).toContain("EROFS");
    await world.restart("kill");
    const { node } = world.client;
    expect((await node.nodeGetVolumeStats({ volumeId, volumePath: target })).volumeCondition?.abnormal).toBe(false);
    expect(await outcome(node.nodePublishVolume(readOnly))).toBe("OK");
    for (const targetPath of [target, world.path("with space")]) {
      expect(await outcome(node.nodeUnpublishVolume({ volumeId, targetPath }))).toBe("OK");
      expect(existsSync(targetPath)).toBe(false);
    }
    expect(await readFile(join(world.stateDir, volumeId, "file"), "utf8")).toBe("data");
  });

  test("a busy mount: NodeUnpublishVolume fails, the data stays, and it succeeds later", async () => {
    await using world = await startWorld({ mountMode: "bind" });
    const volumeId = await create(world, named("a"));
    const target = await publish(world, volumeId);
    await writeFile(join(target, "file"), "data");
    const holder = Bun.spawn(["sleep", "60"], { cwd: target });
    const unpublish = () => outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath: target }));
    expect(await unpublish()).toMatch(/^Internal: umount failed: .*busy/);
    expect(await readFile(join(target, "file"), "utf8")).toBe("data");
    holder.kill();
    await holder.exited;
    expect(await unpublish()).toBe("OK");
    expect(await readFile(join(world.stateDir, volumeId, "file"), "utf8")).toBe("data");
  });

  test.skipIf(!loopsWork)("a block volume is a device while it is published, and grows", async () => {
    await using world = await startWorld({ mountMode: "bind" });
    const volumeId = await create(world, { ...named("a"), volumeCapabilities: [block()] });
    const file = join(world.stateDir, volumeId);
    const target = await publish(world, volumeId, "device", block());
    expect((await stat(target)).isBlockDevice()).toBe(true);
    const size = async () => (await runProgram("blockdev", ["--getsize64", target])).trim();
    expect(await size()).toBe(String(1 << 30));
    await world.client.controller.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 1n << 31n } });
    expect(await size()).toBe(String(2 ** 31));
    const expanded = { volumeId, volumePath: target, capacityRange: { requiredBytes: 1n << 31n } };
    expect((await world.client.node.nodeExpandVolume(expanded)).capacityBytes).toBe(1n << 31n);
    await world.client.node.nodeUnpublishVolume({ volumeId, targetPath: target });
    expect(await runProgram("losetup", ["-j", file])).toBe("");
  });
});
