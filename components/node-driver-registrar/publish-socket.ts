import { randomBytes } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
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
    throw new Error(`cannot create the registration socket ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
