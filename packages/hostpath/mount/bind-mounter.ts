import { mkdir, open, stat } from "node:fs/promises";
import type { RunProgram } from "../run-program.ts";
import type { AccessType, Publication, VolumeRecord } from "../state/records.ts";
import { type Mounter, removeTarget } from "./mounter.ts";
import { type Mounts, mountPointOf, ownMounts } from "./mountinfo.ts";

/** What a bind mounter uses of the host. */
export interface BindMounterOptions {
  readonly run: RunProgram;
  readonly mounts?: () => Promise<Mounts>;
  readonly loops?: LoopDevices;
}

/** Real bind mounts, and loop devices for block volumes while they are published. Needs root, `mount`, `umount` and `losetup`. */
export function bindMounter({ run, mounts = ownMounts, loops = loopDevices(run) }: BindMounterOptions): Mounter {
  const mountAt = async (target: string) => (await mounts()).get(await mountPointOf(target));
  const remount = (target: string, readOnly: boolean) => run("mount", ["-o", `remount,bind,${readOnly ? "ro" : "rw"}`, target]);
  const detachFrom = async ({ path, accessType, published }: VolumeRecord, target: string) => {
    if (accessType === "block" && published.every((publication) => publication.target === target)) await loops.detach(path);
  };
  const mountAs = async (source: string, accessType: AccessType, { target, readOnly }: Publication) => {
    const found = await mountAt(target);
    if (found) {
      if (!(await isSameFile(source, target))) throw new Error(`something else is mounted at ${target}`);
      if (found.readOnly !== readOnly) await remount(target, readOnly);
      return;
    }
    if (accessType === "mount") await mkdir(target, { recursive: true, mode: 0o750 });
    else await (await open(target, "a", 0o640)).close();
    try {
      await run("mount", ["--bind", source, target]);
      // The first mount ignores "ro".
      if (readOnly) await remount(target, true);
    } catch (error) {
      if (await mountAt(target)) await run("umount", [target]);
      await removeTarget(target);
      throw error;
    }
  };
  return {
    mode: "bind",
    async publish(volume, publication) {
      const source = volume.accessType === "mount" ? volume.path : await loops.attach(volume.path);
      try {
        await mountAs(source, volume.accessType, publication);
      } catch (error) {
        await detachFrom(volume, publication.target).catch(() => {});
        throw error;
      }
    },
    async unpublish(volume, target) {
      if (await mountAt(target)) await run("umount", [target]);
      if (await mountAt(target)) throw new Error(`${target} is still a mount point`);
      await removeTarget(target);
      await detachFrom(volume, target);
    },
    isPublished: async (_, target) => (await mountAt(target)) !== undefined,
    async grown({ path, accessType }) {
      if (accessType === "block") await loops.refresh(path);
    },
    async checkUnused(path) {
      const top = await mountPointOf(path);
      for (const point of (await mounts()).keys()) {
        if (point === top || point.startsWith(`${top}/`))
          throw new Error(`${point} is a mount point: what is mounted there would be removed`);
      }
    },
  };
}

/** A bind mount shows the very file that it was made from. */
async function isSameFile(a: string, b: string): Promise<boolean> {
  const [one, other] = [await stat(a), await stat(b)];
  return one.dev === other.dev && one.ino === other.ino;
}

/** The loop devices of files: a file that is published as a block volume has exactly one. */
export interface LoopDevices {
  /** The device of a file, made when there is none. */
  attach(file: string): Promise<string>;
  find(file: string): Promise<string | undefined>;
  detach(file: string): Promise<void>;
  /** Lets a device see that its file has grown. */
  refresh(file: string): Promise<void>;
}

/** Loop devices by `losetup`. */
function loopDevices(run: RunProgram): LoopDevices {
  const find = async (file: string) => /^(\/dev\/[^:\n]+):/m.exec(await run("losetup", ["-j", file]))?.[1];
  return {
    find,
    attach: async (file) => (await find(file)) ?? (await run("losetup", ["--find", "--show", file])).trim(),
    async detach(file) {
      const device = await find(file);
      if (device) await run("losetup", ["-d", device]);
    },
    async refresh(file) {
      const device = await find(file);
      if (device) await run("losetup", ["-c", device]);
    },
  };
}
