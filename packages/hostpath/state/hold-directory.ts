import { open } from "node:fs/promises";
import { join } from "node:path";
import { GrpcServer } from "@csi-sidecars/csi";

/** A Unix socket's path can be no longer. */
const longestPath = 107;

/**
 * Keeps a second driver from working in the same state directory. The hold is a listening socket, which the operating system
 * takes away with the process, however that ends.
 */
export async function holdDirectory(stateDir: string): Promise<() => Promise<void>> {
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
