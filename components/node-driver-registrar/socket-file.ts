import { lstat, rm, stat } from "node:fs/promises";
import { systemErrorCode } from "@csi-sidecars/base";

/** The registration socket's path; upstream joins it like this, with whatever the driver's name contains. */
export function socketPathOf(directory: string, driverName: string): string {
  return `${directory}/${driverName}-reg.sock`;
}

/** What the kernel's address of a socket holds, without its last zero byte. */
const longestPath: Readonly<Partial<Record<NodeJS.Platform, number>>> = { linux: 107, darwin: 103, win32: 107 };

/** What is wrong with a path that no socket can have. */
export function pathProblem(path: string, flag: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const length = Buffer.byteLength(path);
  const limit = longestPath[platform] ?? 103;
  if (length <= limit) return undefined;
  return `registration socket ${path}: the path has ${length} bytes, but sockets end at ${limit}: mount the directory at a shorter --${flag}`;
}

/** Which file is at a path: another socket of the same path is another file. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The socket at a path; `undefined` if there is nothing. Anything else is an error, but on Windows, where sockets cannot be told apart. */
export async function socketAt(path: string, platform: NodeJS.Platform = process.platform): Promise<FileIdentity | undefined> {
  try {
    const found = platform === "win32" ? await lstat(path, { bigint: true }) : await stat(path, { bigint: true });
    if (platform !== "win32" && !found.isSocket()) throw new Error(`failed to stat the socket ${path}: it exists and is not a socket`);
    return { dev: found.dev, ino: found.ino };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/**
 * Makes sure that a socket can be renamed to a path. What a predecessor left there is replaced by the renaming, so that there is no
 * moment without a socket; Windows needs it removed. A file that is not a socket is left alone: an error.
 */
export async function makeRoom(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if ((await socketAt(path, platform)) && platform === "win32") await rm(path, { force: true });
}

/** Removes the file at a path if it is this one; leaves what somebody else put there. */
export async function removeIfSame(path: string, identity: FileIdentity): Promise<void> {
  const found = await lstat(path, { bigint: true }).catch((error) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found && found.dev === identity.dev && found.ino === identity.ino) await rm(path, { force: true });
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "");
}
