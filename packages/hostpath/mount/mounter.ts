import { lstat, rmdir, unlink } from "node:fs/promises";
import type { Publication, VolumeRecord } from "../state/records.ts";

/** How volumes appear at their target paths. */
export type MountMode = "bind" | "symlink" | "none";

/** Puts volumes at target paths and takes them away again. Both may be repeated. */
export interface Mounter {
  readonly mode: MountMode;
  publish(volume: VolumeRecord, publication: Publication): Promise<void>;
  /** Never follows a link and never removes recursively: what is at the target may be somebody's data. */
  unpublish(volume: VolumeRecord, target: string): Promise<void>;
  /** Whether a volume is where it was published. */
  isPublished(volume: VolumeRecord, target: string): Promise<boolean>;
  /** Lets the loop device of a block volume see that it has grown. */
  grown(volume: VolumeRecord): Promise<void>;
  /** Throws if something is mounted below a path that is about to be removed. */
  checkUnused(path: string): Promise<void>;
}

/** Removes a target path: a link or file as such, a directory only when it is empty. */
export async function removeTarget(target: string): Promise<void> {
  const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return;
  if (found.isDirectory()) await rmdir(target);
  else await unlink(target);
}
