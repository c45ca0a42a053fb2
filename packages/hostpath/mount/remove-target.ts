import { lstat, rmdir, unlink } from "node:fs/promises";

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
