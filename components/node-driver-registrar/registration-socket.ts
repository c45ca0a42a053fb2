import { randomBytes } from "node:crypto";
import { access, constants, lstat, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import type { GrpcServer } from "@csi-sidecars/csi";

/**
 * Creates the registration socket with mode 0700. It listens under another name first and is then renamed: kubelet ignores names
 * that begin with a dot, so it never sees the socket before its mode is right and its server answers.
 */
export async function publishSocket(path: string, server: GrpcServer): Promise<FileIdentity> {
  const draft = join(dirname(path), `.${randomBytes(4).toString("hex")}`);
  await checkReplaceable(path);
  try {
    await server.listen({ path: draft, mode: 0o700 });
    const identity = await socketAt(draft);
    if (!identity) throw new Error(`${draft} was removed while it was being created`);
    await rename(draft, path);
    return identity;
  } catch (error) {
    await rm(draft, { force: true });
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

/** The socket at a path; `undefined` if there is nothing. Anything else is an error, except on Windows, where sockets cannot be told apart. */
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
 * Checks that a socket can be renamed to a path. The rename replaces the socket of a predecessor, so that there is no moment without
 * one; only on Windows it has to be removed first. A file that is not a socket is an error and stays.
 */
export async function checkReplaceable(path: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  if ((await socketAt(path, platform)) && platform === "win32") await rm(path, { force: true });
}

/** Removes the file at a path if it is this one; leaves a file that somebody else put there. */
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
