import { lstat, mkdir, open, readlink, rmdir, symlink } from "node:fs/promises";
import type { Mounter } from "./mounter.ts";
import { removeTarget } from "./remove-target.ts";

const published = async (volume: { readonly published: readonly { readonly target: string }[] }, target: string) =>
  volume.published.some((publication) => publication.target === target) && (await exists(target));

/** Needs no privileges: a target is a symbolic link to the volume. A read-only publication is only noted. */
export const symlinkMounter: Mounter = {
  mode: "symlink",
  async publish({ path }, { target }) {
    if ((await readlink(target).catch(() => undefined)) === path) return;
    // Kubernetes' node agent makes the directory before it asks.
    await rmdir(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw new Error(`cannot publish at ${target}: ${error.message}`, { cause: error });
    });
    await symlink(path, target);
  },
  unpublish: (_, target) => removeTarget(target),
  isPublished: published,
  grown: async () => {},
};

/** Publishes nothing: a target is an empty directory or file. */
export const emptyMounter: Mounter = {
  mode: "none",
  async publish({ accessType }, { target }) {
    if (await exists(target)) return;
    if (accessType === "mount") await mkdir(target, { mode: 0o750 });
    else await (await open(target, "a", 0o640)).close();
  },
  unpublish: (_, target) => removeTarget(target),
  isPublished: published,
  grown: async () => {},
};

const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
