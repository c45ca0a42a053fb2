import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { GrpcServer } from "@csi-sidecars/csi";

/** A Unix socket's path can be no longer. */
const longestPath = 107;

/**
 * Keeps a second driver from working in the same state directory. The hold is a listening socket, which the operating system
 * takes away with the process, however that ends.
 */
async function holdDirectory(stateDir: string): Promise<() => Promise<void>> {
  const directory = await open(stateDir, "r");
  const path = join(stateDir, ".in-use");
  // Linux lets a process reach a directory of any length by a short name.
  const short = Buffer.byteLength(path) > longestPath ? `/proc/self/fd/${directory.fd}/.in-use` : path;
  const hold = new GrpcServer();
  try {
    await hold.listen({ path: short, mode: 0o600 });
  } catch (error) {
    await directory.close();
    throw error;
  }
  return async () => {
    await hold.kill();
    await directory.close();
  };
}

/** Makes the state directory where there is none, and keeps it for this driver; gives the means to let go of it. */
export async function occupyDirectory(stateDir: string): Promise<() => Promise<void>> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o750 });
    return await holdDirectory(stateDir);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`--statedir ${stateDir} cannot be used: ${reason}. A driver needs a directory of its own that it can write to.`, {
      cause: error,
    });
  }
}
