import { randomBytes } from "node:crypto";
import { access, constants, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, systemErrorCode } from "@csi-sidecars/base";
import type { GrpcServer } from "@csi-sidecars/csi";
import { type FileIdentity, makeRoom, socketAt } from "./socket-file.ts";

/**
 * Puts a listening socket at a path, for its owner alone. It is made under another name first and then renamed: kubelet ignores names
 * that begin with a dot, so it never sees the socket before its mode is right and its server answers.
 */
export async function publishSocket(path: string, server: GrpcServer): Promise<FileIdentity> {
  const draft = join(dirname(path), `.${randomBytes(4).toString("hex")}`);
  await makeRoom(path);
  try {
    await server.listen({ path: draft, mode: 0o700 });
    const identity = await socketAt(draft);
    if (!identity) throw new Error(`${draft} was removed while it was made`);
    await rename(draft, path);
    return identity;
  } catch (error) {
    await rm(draft, { force: true });
    throw new Error(`cannot create the registration socket ${path}: ${await reasonOf(error, dirname(path))}`, { cause: error });
  }
}

/** The runtime says of a socket that it could not make only its name, which nobody knows: the directory tells more. */
async function reasonOf(error: unknown, directory: string): Promise<string> {
  const obstacle = await access(directory, constants.W_OK | constants.X_OK).catch((reason: unknown) => reason);
  const code = systemErrorCode(obstacle);
  if (code === "ENOENT") return `there is no directory ${directory}; mount kubelet's plugins_registry there`;
  if (code !== undefined) return `the directory ${directory} is not writable (${code})`;
  return messageOf(error);
}
