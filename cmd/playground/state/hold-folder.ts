import { rmSync, symlinkSync } from "node:fs";
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
  return {
    async [Symbol.asyncDispose]() {
      // First the name: once nobody listens any more, it may be somebody else's.
      rmSync(join(folder, ".in-use"), { force: true });
      await hold.kill();
    },
  };
}
