import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** What a registry directory holds at one moment. */
export interface RegistryScan {
  /** Sockets by path, with what tells a file from another one of the same path. */
  readonly sockets: ReadonlyMap<string, string>;
  readonly folders: readonly string[];
}

/** Walks a registry directory as kubelet does: into folders, past names that begin with a dot. */
export async function scanRegistry(root: string): Promise<RegistryScan> {
  const sockets = new Map<string, string>();
  const folders: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    const names = await readdir(folder).catch(() => undefined);
    if (!names) return;
    folders.push(folder);
    for (const name of names) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      const stat = await lstat(path, { bigint: true }).catch(() => undefined);
      if (stat?.isSocket()) sockets.set(path, `${stat.ino}/${stat.birthtimeNs}`);
      else if (stat?.isDirectory()) await walk(path);
    }
  };
  await walk(root);
  return { sockets, folders };
}
