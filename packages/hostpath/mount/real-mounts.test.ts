import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@csi-sidecars/base";
import type { GrpcError } from "@csi-sidecars/csi";
import { runProgram } from "../run-program.ts";
import type { HostpathOptions } from "../settings.ts";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { block, create, mount, named, publish } from "../testing/requests.ts";
import { chooseMounter } from "./choose-mounter.ts";
import { ownMounts } from "./mountinfo.ts";

const works = process.platform === "linux" && (await chooseMounter("auto", runProgram, silentLogger, tmpdir())).mode === "bind";
const loopsWork =
  works &&
  (await runProgram("losetup", ["--find"]).then(
    () => true,
    () => false,
  ));

/** A world that takes away what a failed test has left mounted. */
async function startMounting(options: Partial<HostpathOptions> = {}): Promise<World> {
  const world = await startWorld({ mountMode: "bind", ...options });
  const dispose = world[Symbol.asyncDispose].bind(world);
  return Object.assign(world, {
    async [Symbol.asyncDispose]() {
      for (const point of [...(await ownMounts()).keys()].reverse())
        if (point.startsWith(`${world.folder}/`)) await runProgram("umount", ["-l", point]);
      await dispose();
      const loops = works && loopsWork ? await runProgram("losetup", ["--list", "--noheadings", "--output", "NAME,BACK-FILE"]) : "";
      for (const line of loops.split("\n"))
        if (line.includes(`${world.folder}/`)) await runProgram("losetup", ["-d", line.split(" ")[0] ?? ""]);
    },
  });
}

const why = works ? "" : " (skipped: bind mounts need root and the right to mount)";
const whyNoLoops = loopsWork ? "" : " (skipped: no loop devices here)";

describe.skipIf(!works)(`real mounts${why}`, () => {
  test("data is written through, read-only is kept, a restart knows the mount, a full target is no reason to lose data", async () => {
    await using world = await startMounting({ mountMode: "auto" });
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
    await using world = await startMounting();
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

  test.skipIf(!loopsWork)(`a block volume is a device while it is published, and grows${whyNoLoops}`, async () => {
    await using world = await startMounting();
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

  test("a volume is given to the group that its pod asks for, and its owner stays", async () => {
    await using world = await startMounting({ volumeMountGroup: true });
    const volumeId = await create(world, named("a"));
    const path = join(world.stateDir, volumeId);
    await chown(path, 4_321, 4_321);
    const stagingTargetPath = world.path("stage");
    await world.client.node.nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability: mount() });
    const publishFor = (volumeMountGroup: string) => {
      const volumeCapability = { ...mount(), accessType: { $case: "mount" as const, mount: { volumeMountGroup } } };
      return outcome(
        world.client.node.nodePublishVolume({ volumeId, stagingTargetPath, targetPath: world.path("target"), volumeCapability }),
      );
    };
    expect(await publishFor("wheel")).toBe("InvalidArgument: volume_mount_group wheel is no group id");
    expect(await publishFor("1234")).toBe("OK");
    const { uid, gid, mode } = await stat(path);
    expect([uid, gid, mode & 0o7777]).toEqual([4_321, 1_234, 0o2777]);
    await world.client.node.nodeUnpublishVolume({ volumeId, targetPath: world.path("target") });
  });

  test("mounts that a reboot took away are told, made again, and no obstacle to the end", async () => {
    await using world = await startMounting();
    const volumeId = await create(world, named("a"));
    const targetPath = await publish(world, volumeId);
    const condition = async () =>
      (await world.client.node.nodeGetVolumeStats({ volumeId, volumePath: targetPath })).volumeCondition?.message;
    await runProgram("umount", [targetPath]);
    await world.restart("kill");
    expect(await condition()).toBe("The volume isn't mounted");
    await publish(world, volumeId);
    expect(await condition()).toBe("");
    await runProgram("umount", [targetPath]);
    await rm(targetPath, { recursive: true });
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath }))).toBe("OK");
  });

  test("a target below a link to a directory is found again", async () => {
    await using world = await startMounting();
    await mkdir(world.path("pods"));
    await symlink(world.path("pods"), world.path("link"));
    const volumeId = await create(world, named("a"));
    const targetPath = await publish(world, volumeId, "link/target");
    expect((await ownMounts()).has(world.path("pods/target"))).toBe(true);
    const { volumeCondition } = await world.client.node.nodeGetVolumeStats({ volumeId, volumePath: targetPath });
    expect(volumeCondition?.abnormal).toBe(false);
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath }))).toBe("OK");
    expect((await ownMounts()).has(world.path("pods/target"))).toBe(false);
  });

  test("a mount that a process before left behind is made read-only when that is asked for; one of somebody else is left alone", async () => {
    await using world = await startMounting();
    const volumeId = await create(world, named("a"));
    await mkdir(world.path("target"));
    await runProgram("mount", ["--bind", join(world.stateDir, volumeId), world.path("target")]);
    const staged = { volumeId, stagingTargetPath: world.path("stage"), volumeCapability: mount() };
    await world.client.node.nodeStageVolume(staged);
    const request = { ...staged, targetPath: world.path("target"), readonly: true };
    expect(await outcome(world.client.node.nodePublishVolume(request))).toBe("OK");
    expect(await writeFile(join(world.path("target"), "x"), "").catch(String)).toContain("EROFS");
    await mkdir(world.path("other"));
    await mkdir(world.path("foreign"));
    await runProgram("mount", ["--bind", world.path("foreign"), world.path("other")]);
    expect(await outcome(world.client.node.nodePublishVolume({ ...request, targetPath: world.path("other") }))).toBe(
      `Internal: something else is mounted at ${world.path("other")}`,
    );
    expect(world.driver.state.volumes[0]?.published.map(({ target }) => target)).toEqual([world.path("target")]);
    expect((await ownMounts()).has(world.path("other"))).toBe(true);
  });

  test("a volume in which something is mounted is not removed", async () => {
    await using world = await startMounting();
    const volumeId = await create(world, named("a"));
    const inner = join(world.stateDir, volumeId, "inner");
    await mkdir(inner);
    await mkdir(world.path("precious"));
    await writeFile(world.path("precious/file"), "data");
    await runProgram("mount", ["--bind", world.path("precious"), inner]);
    const remove = () => outcome(world.client.controller.deleteVolume({ volumeId }));
    expect(await remove()).toStartWith(`Internal: ${inner} is a mount point`);
    expect(await readFile(world.path("precious/file"), "utf8")).toBe("data");
    await runProgram("umount", [inner]);
    expect(await remove()).toBe("OK");
    expect(await readFile(world.path("precious/file"), "utf8")).toBe("data");
  });

  test.skipIf(!loopsWork)(`a block volume that is deleted while it is published twice leaves no device behind${whyNoLoops}`, async () => {
    await using world = await startMounting();
    const volumeId = await create(world, { ...named("a"), volumeCapabilities: [block()] });
    const capability = block("SINGLE_NODE_MULTI_WRITER");
    await publish(world, volumeId, "one", capability);
    await publish(world, volumeId, "two", capability);
    expect(await outcome(world.client.controller.deleteVolume({ volumeId }))).toBe("OK");
    const devices = await runProgram("losetup", ["--list", "--noheadings", "--output", "BACK-FILE"]);
    expect(devices).not.toContain(world.folder);
    expect([...(await ownMounts()).keys()].filter((point) => point.startsWith(world.folder))).toEqual([]);
  });
});

describe.skipIf(!works)(`a state directory on a disk of its own${why}`, () => {
  test("that is full: calls fail with nothing done, a stop is a stop, and with space the driver goes on", async () => {
    await using scratch = await startMounting({ backend: "memory" });
    const stateDir = scratch.path("disk");
    await mkdir(stateDir);
    await runProgram("mount", ["-t", "tmpfs", "-o", "size=256k", "full", stateDir]);
    const world = await startWorld({ stateDir });
    const [first, ballast] = [await create(world, named("first")), join(stateDir, "ballast")];
    expect(await writeFile(ballast, Buffer.alloc(1024 * 1024)).catch(String)).toContain("ENOSPC");
    const answered = new Set([first]);
    let failure = "";
    for (let index = 0; failure === ""; index++) {
      const result = await world.client.controller.createVolume(named(`v${index}`)).catch((error: GrpcError) => error.details);
      if (typeof result === "string") failure = result;
      else answered.add(result.volume?.volumeId ?? "");
    }
    expect(failure).toMatch(/^cannot write the state: ENOSPC/);
    const known = () => new Set(world.driver.state.volumes.map(({ id }) => id));
    expect(known()).toEqual(answered);
    await world.restart("stop");
    expect(known()).toEqual(answered);
    expect(await outcome(world.client.controller.createVolume(named("later")))).toMatch(/^Internal: cannot write the state: ENOSPC/);
    await rm(ballast);
    expect(await outcome(world.client.controller.deleteVolume({ volumeId: first }))).toBe("OK");
    answered.delete(first);
    answered.add(await create(world, named("last")));
    await world.restart("kill");
    expect(known()).toEqual(answered);
    await world[Symbol.asyncDispose]();
  });

  test("that is read-only: the driver says so and does not start", async () => {
    await using scratch = await startMounting({ backend: "memory" });
    const stateDir = scratch.path("disk");
    await mkdir(stateDir);
    await runProgram("mount", ["-t", "tmpfs", "-o", "ro,size=256k", "readonly", stateDir]);
    expect(await startWorld({ stateDir }).then(() => "started", String)).toMatch(
      /--statedir \S+ cannot be used: .*(EROFS|read-only).*\. A driver needs a directory of its own that it can write to\./,
    );
  });
});
