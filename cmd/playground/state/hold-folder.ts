import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { GrpcServer } from "@csi-sidecars/csi";
import { Refusal } from "../refusal.ts";

/**
 * Keeps a second playground out of the folder. The hold is a listening socket, which the operating system takes away with the
 * process, however that ends. A socket's path must be short and the folder's may be long: `alias` becomes a link to it.
 */
export async function holdFolder(folder: string, alias: string): Promise<AsyncDisposable> {
  symlinkSync(folder, alias);
  const hold = new GrpcServer();
  await hold.listen({ path: join(alias, ".in-use"), mode: 0o600 }).catch(() => {
    throw new Refusal(`--state: another playground works in ${folder}; end it, or give another folder`);
  });
  return { [Symbol.asyncDispose]: () => hold.kill() };
}
