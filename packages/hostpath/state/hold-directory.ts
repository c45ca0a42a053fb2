import { join } from "node:path";
import { GrpcServer } from "@csi-sidecars/csi";

/** A Unix socket's path can be no longer. */
const longestPath = 107;

/**
 * Keeps a second driver from working in the same state directory. The hold is a listening socket, which the operating system
 * takes away with the process, however that ends.
 */
export async function holdDirectory(stateDir: string): Promise<() => Promise<void>> {
  const path = join(stateDir, ".in-use");
  if (Buffer.byteLength(path) > longestPath) return async () => {};
  const hold = new GrpcServer();
  await hold.listen({ path, mode: 0o600 }).catch((error: unknown) => {
    throw new Error(`${stateDir} is in use by another driver; give each its own --statedir`, { cause: error });
  });
  return () => hold.kill();
}
