import { randomBytes } from "node:crypto";
import { access, constants, lstat, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import type { GrpcServer } from "@csi-sidecars/csi";

/**
 * Creates the registration socket with mode 0700. It listens under another name first and is then renamed: kubelet ignores names
 * that begin with a dot, so it never sees the socket before its mode is right and its server answers. On Windows there are no modes,
 * kubelet dials until somebody answers, and nobody promises that a socket survives a rename: there it listens under its name at once.
 */
export async function publishSocket(path: string, server: GrpcServer, platform: NodeJS.Platform = process.platform): Promise<FileIdentity> {
  const draft = platform === "win32" ? path : join(dirname(path), `.${randomBytes(4).toString("hex")}`);
  await checkReplaceable(path, platform);
  try {
    await server.listen({ path: draft, mode: 0o700 });
    const identity = await socketAt(draft, platform);
    if (!identity) throw new Error(`${draft} was removed while it was being created`);
    if (draft !== path) await rename(draft, path);
    return identity;
  } catch (error) {
    await removeFile(draft);
    throw new Error(`cannot create the registration socket ${path}: ${await reasonOf(error, dirname(path))}`, { cause: error });
  }
}

/** The runtime's error for a socket names only the temporary path; the state of the directory says more. */
async function reasonOf(error: unknown, directory: string): Promise<string> {
  const obstacle = await access(directory, constants.W_OK | constants.X_OK).catch((reason: unknown) => reason);
  const code = systemErrorCode(obstacle);
  if (code === "ENOENT") return `there is no directory ${directory}; mount kubelet's plugins_registry there`;
  if (code !== undefined) return `the directory ${directory} is not writable (${code})`;
  return messageOf(error);
}

/** The registration socket's path; upstream joins it like this, with whatever the driver's name contains. */
export function registrationSocketPath(directory: string, driverName: string): string {
  return `${directory}/${driverName}-reg.sock`;
}

/** The size of `sun_path`, without its terminating zero byte. */
const maxPathLength: Readonly<Partial<Record<NodeJS.Platform, number>>> = { linux: 107, darwin: 103, win32: 107 };

/** Why a path cannot be that of a socket, if so. */
export function socketPathProblem(path: string, flag: string, platform: NodeJS.Platform = process.platform): string | undefined {
  const length = Buffer.byteLength(path);
  const limit = maxPathLength[platform] ?? 103;
  if (length <= limit) return undefined;
  return `registration socket ${path}: the path has ${length} bytes, but socket paths are limited to ${limit}: mount the directory at a shorter --${flag}`;
}

/** Identifies a file: another socket at the same path is another file. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Windows does not let anybody look at a socket, only list it in its directory: there all sockets look alike. */
const unknownIdentity: FileIdentity = { dev: 0n, ino: 0n };

/** The socket at a path; `undefined` if there is nothing. Anything else is an error, except on Windows, where it cannot be told apart. */
export async function socketAt(path: string, platform: NodeJS.Platform = process.platform): Promise<FileIdentity | undefined> {
  if (platform === "win32") return (await isListed(path)) ? unknownIdentity : undefined;
  const found = await unlessAbsent(stat(path, { bigint: true }));
  if (found && !found.isSocket()) throw new Error(`failed to stat the socket ${path}: it exists and is not a socket`);
  return found && { dev: found.dev, ino: found.ino };
}

async function isListed(path: string): Promise<boolean> {
  const names = (await unlessAbsent(readdir(dirname(path)))) ?? [];
  return names.some((name) => name.toLowerCase() === basename(path).toLowerCase());
}

/**
 * Checks that a socket can be renamed to a path. The rename replaces the socket of a predecessor, so that there is no moment without
 * one; only on Windows it has to be removed first. A file that is not a socket is an error and stays.
 */
export async function checkReplaceable(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if ((await socketAt(path, platform)) && platform === "win32") await removeFile(path);
}

/** Removes the file at a path if it is this one; leaves a file that somebody else put there, where that can be told. */
export async function removeIfSame(path: string, identity: FileIdentity, platform: NodeJS.Platform = process.platform): Promise<void> {
  const found = platform === "win32" ? await socketAt(path, platform) : await unlessAbsent(lstat(path, { bigint: true }));
  if (found && found.dev === identity.dev && found.ino === identity.ino) await removeFile(path);
}

/** Unlike `rm`, this does not look at the file first. */
async function removeFile(path: string): Promise<void> {
  await unlessAbsent(unlink(path));
}

async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}
