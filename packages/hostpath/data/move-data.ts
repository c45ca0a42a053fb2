import { chmodSync, lstatSync, renameSync } from "node:fs";
import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const ownerMayAll = 0o700;

/** Moves data to another directory, in one step. A directory that its owner made read-only cannot be moved unless that is lifted meanwhile. */
export function moveData(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { mode } = lstatSync(from);
    if ((mode & ownerMayAll) === ownerMayAll) throw error;
    chmodSync(from, (mode & 0o7777) | ownerMayAll);
    renameSync(from, to);
    chmodSync(to, mode & 0o7777);
  }
}

/** Removes data with everything in it, also directories that were made read-only. Follows no link. */
export async function removeData(path: string): Promise<void> {
  // A program that a process before had started may still write there.
  const options = { recursive: true, force: true, maxRetries: 10 };
  await rm(path, options).catch(async (error: unknown) => {
    if (!isRefused(error)) throw error;
    await openDirectories(path);
    await rm(path, options);
  });
}

async function openDirectories(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory()) return;
  await chmod(path, ownerMayAll);
  for (const entry of await readdir(path)) await openDirectories(join(path, entry));
}

const isRefused = (error: unknown) => error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
