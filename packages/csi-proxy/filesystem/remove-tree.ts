import * as fsPromises from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";
import { stoppedCall } from "../call-deadline.ts";
import { isMissing } from "./file-error.ts";

/** The calls of the file system that removing needs. */
export interface FileCalls {
  lstat(path: string, options: { bigint: true }): Promise<FileIdentity & { isDirectory(): boolean }>;
  stat(path: string, options: { bigint: true }): Promise<FileIdentity>;
  readdir(path: string): Promise<string[]>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/**
 * Removes a folder and what is in it. The runtime's own recursive removal takes the mount point of a volume for a folder, and would
 * delete the data of the volume. This one stays on the device of the folder's parent and follows no link: such an entry is removed
 * itself, and where that fails, all fails. What is missing counts as removed.
 */
export async function removeTree(path: string, signal?: AbortSignal, calls: FileCalls = fsPromises): Promise<void> {
  const { dev } = await calls.stat(dirname(path), { bigint: true });
  await removeEntry(path, dev, signal, calls);
}

/** Removes what is in a folder. The folder may be a link or a mount point: it is followed, other than those in it. */
export async function removeContents(path: string, signal?: AbortSignal, calls: FileCalls = fsPromises): Promise<void> {
  const { dev } = await calls.stat(path, { bigint: true });
  for (const name of await calls.readdir(path)) await removeEntry(join(path, name), dev, signal, calls);
}

/** Removes a file, a link or an empty folder, as Go's `os.Remove` does. */
export async function removeOne(path: string, calls: FileCalls = fsPromises): Promise<void> {
  const entry = await calls.lstat(path, { bigint: true });
  await (entry.isDirectory() ? calls.rmdir(path) : unlinkEntry(path, calls));
}

async function removeEntry(path: string, parentDevice: bigint, signal: AbortSignal | undefined, calls: FileCalls): Promise<void> {
  if (signal?.aborted) throw stoppedCall("removing files", signal.reason);
  try {
    const entry = await calls.lstat(path, { bigint: true });
    if (!entry.isDirectory()) return await unlinkEntry(path, calls);
    if (await isPlainFolder(path, entry, parentDevice, calls)) {
      for (const name of await calls.readdir(path)) await removeEntry(join(path, name), entry.dev, signal, calls);
    }
    await calls.rmdir(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Whether a folder is what its name says, and not a way to another device. Only one of the two calls may follow a mount point. */
async function isPlainFolder(path: string, entry: FileIdentity, parentDevice: bigint, calls: FileCalls): Promise<boolean> {
  const reached = await calls.stat(path, { bigint: true });
  return entry.dev === parentDevice && reached.dev === entry.dev && reached.ino === entry.ino;
}

/** Windows removes a link to a folder as a folder; that never removes what it leads to. */
async function unlinkEntry(path: string, calls: FileCalls): Promise<void> {
  try {
    await calls.unlink(path);
  } catch (error) {
    if (!["EPERM", "EISDIR", "EACCES"].includes(systemErrorCode(error) ?? "")) throw error;
    await calls.rmdir(path).catch(() => {
      throw error;
    });
  }
}
