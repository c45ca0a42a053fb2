import { lstat, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The time of a file system: what is written to it from now on has this time or a later one. File systems count time in steps of some
 * milliseconds, so what was written just before may have the same time.
 */
export async function fileSystemTime(scratch: string): Promise<bigint> {
  const file = join(scratch, `.time-${crypto.randomUUID()}`);
  await writeFile(file, "");
  try {
    return await changeTime(file);
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Whether anything at or below a path was written, created, renamed, removed or given other attributes at that time of its file system or
 * later. The time of a change cannot be set by users, and a directory has that of the last change of its entries.
 */
export async function isWrittenSince(path: string, time: bigint): Promise<boolean> {
  if ((await changeTime(path)) >= time) return true;
  // Not a directory, or one that may not be read: what is in it could not be copied either.
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const below = join(path, entry.name);
    if (entry.isDirectory() ? await isWrittenSince(below, time) : (await changeTime(below)) >= time) return true;
  }
  return false;
}

/** What is gone by now has changed the time of its directory: its own says nothing. */
const changeTime = (path: string): Promise<bigint> =>
  lstat(path, { bigint: true }).then(
    ({ ctimeNs }) => ctimeNs,
    () => 0n,
  );
