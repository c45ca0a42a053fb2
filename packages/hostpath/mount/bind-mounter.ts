import { mkdir, open } from "node:fs/promises";
import type { RunProgram } from "../run-program.ts";
import { type LoopDevices, loopDevices } from "./loop-device.ts";
import type { Mounter } from "./mounter.ts";
import { ownMountPoints } from "./mountinfo.ts";
import { removeTarget } from "./remove-target.ts";

/** What a bind mounter uses of the host. */
export interface BindMounterOptions {
  readonly run: RunProgram;
  readonly mountPoints?: () => Promise<ReadonlySet<string>>;
  readonly loops?: LoopDevices;
}

/** Real bind mounts, and loop devices for block volumes while they are published. Needs root, `mount`, `umount` and `losetup`. */
export function bindMounter({ run, mountPoints = ownMountPoints, loops = loopDevices(run) }: BindMounterOptions): Mounter {
  const isMounted = async (target: string) => (await mountPoints()).has(target);
  return {
    mode: "bind",
    async publish({ path, accessType }, { target, readOnly }) {
      if (await isMounted(target)) return;
      if (accessType === "mount") await mkdir(target, { recursive: true, mode: 0o750 });
      else await (await open(target, "a", 0o640)).close();
      const source = accessType === "mount" ? path : await loops.attach(path);
      try {
        await run("mount", ["--bind", source, target]);
        // The first mount ignores "ro".
        if (readOnly) await run("mount", ["-o", "remount,bind,ro", target]);
      } catch (error) {
        if (await isMounted(target)) await run("umount", [target]);
        await removeTarget(target);
        throw error;
      }
    },
    async unpublish({ path, accessType, published }, target) {
      if (await isMounted(target)) await run("umount", [target]);
      if (await isMounted(target)) throw new Error(`${target} is still a mount point`);
      await removeTarget(target);
      if (accessType === "block" && published.every((publication) => publication.target === target)) await loops.detach(path);
    },
    isPublished: (_, target) => isMounted(target),
    async grown({ path, accessType }) {
      if (accessType === "block") await loops.refresh(path);
    },
  };
}
