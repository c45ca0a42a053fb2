import { existsSync } from "node:fs";
import { readdir, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** Inside it are namespaces, pods and volumes. */
const depth = 3;

/**
 * Removes the folder where the volumes of pods were mounted; whether it is gone. A volume that is still mounted keeps its data: only folders
 * of known depth are removed, and only if they are empty.
 */
export async function removePodsFolder(folder: string, recordsFile: string): Promise<boolean> {
  await removeEmpty(folder, depth, recordsFile);
  if ((await readdir(folder).catch(() => [])).join() !== recordsFile) return !existsSync(folder);
  await unlink(join(folder, recordsFile));
  await rmdir(folder);
  return true;
}

async function removeEmpty(folder: string, levels: number, kept: string): Promise<void> {
  const names = levels === 0 ? [] : await readdir(folder).catch(() => []);
  for (const name of names) if (name !== kept) await removeEmpty(join(folder, name), levels - 1, kept);
  await rmdir(folder).catch(() => {});
}
