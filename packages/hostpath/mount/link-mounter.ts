import { lstat, mkdir, open, readlink, rmdir, symlink } from "node:fs/promises";
import type { VolumeRecord } from "../state/records.ts";
import { type Mounter, removeTarget } from "./mounter.ts";

/** What mounters have in common that make no mounts. */
const withoutMounts = {
  isPublished: async ({ published }: VolumeRecord, target: string) =>
    published.some((publication) => publication.target === target) && (await exists(target)),
  grown: async () => {},
  checkUnused: async () => {},
};

/** Needs no privileges: a target is a symbolic link to the volume. A read-only publication is only noted. */
export const symlinkMounter: Mounter = {
  ...withoutMounts,
  mode: "symlink",
  async publish({ path }, { target }) {
    if ((await linkAt(target)) === path) return;
    // Kubernetes' node agent makes the directory before it asks.
    await rmdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw new Error(`cannot publish at ${target}: ${error.message}`, { cause: error });
    });
    await symlink(path, target);
  },
  async unpublish({ path }, target) {
    const found = await lstat(target).catch(() => undefined);
    if (found && !found.isDirectory() && (await linkAt(target)) !== path)
      throw new Error(`${target} is not the link to ${path} that was made`);
    await removeTarget(target);
  },
};

/** Publishes nothing: a target is an empty directory or file. */
export const emptyMounter: Mounter = {
  ...withoutMounts,
  mode: "none",
  async publish({ accessType }, { target }) {
    if (await exists(target)) return;
    if (accessType === "mount") await mkdir(target, { mode: 0o750 });
    else await (await open(target, "a", 0o640)).close();
  },
  unpublish: (_, target) => removeTarget(target),
};

const linkAt = (path: string) => readlink(path).catch(() => undefined);

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
