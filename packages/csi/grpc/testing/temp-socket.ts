import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A socket path of its own, gone with its folder at the end of the block: `await using socket = await tempSocket()`. */
export async function tempSocket(): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "csi-grpc-"));
  return {
    path: join(folder, "csi.sock"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
