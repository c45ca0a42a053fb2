import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import { GrpcServer } from "@csi-sidecars/csi";

/** The size of `sun_path`, without its terminating zero byte. */
const longestPath = 107;

/**
 * Keeps a second driver from using the same state directory. The lock is a listening socket, which the operating system closes with
 * the process, however that ends.
 */
async function listenInDirectory(stateDir: string): Promise<() => Promise<void>> {
  const directory = await open(stateDir, "r");
  const path = join(stateDir, ".in-use");
  // Linux gives a process a short path to any directory that it has open.
  const short = Buffer.byteLength(path) > longestPath ? `/proc/self/fd/${directory.fd}/.in-use` : path;
  const lock = new GrpcServer();
  try {
    await lock.listen({ path: short, mode: 0o600 });
  } catch (error) {
    await directory.close();
    throw error;
  }
  return async () => {
    await lock.kill();
    await directory.close();
  };
}

/** Creates the state directory if there is none and locks it for this driver; returns how to unlock it. */
export async function lockStateDirectory(stateDir: string): Promise<() => Promise<void>> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o750 });
    return await listenInDirectory(stateDir);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`--statedir ${stateDir} cannot be used: ${reason}. A driver needs a directory of its own that it can write to.`, {
      cause: error,
    });
  }
}
