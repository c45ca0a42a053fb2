import type { SmbDriver } from "./driver.ts";

/** A file beside the staging path, which kubelet removes with nothing in it. */
const recordPath = (stagingPath: string) => `${stagingPath}.source`;

/**
 * The share, or the folder of one, that a volume may have mapped. It is recorded before the share is mapped and until after the mapping
 * is removed, so that no driver that is killed in between leaves a mapping that nobody knows of. It has no secrets.
 */
export async function recordedSource({ files }: SmbDriver, stagingPath: string): Promise<string | undefined> {
  const record = await files.read(recordPath(stagingPath));
  // A driver that was killed while it wrote had mapped nothing yet.
  return record?.endsWith("\n") ? record.slice(0, -1) : undefined;
}

export async function recordSource({ files }: SmbDriver, stagingPath: string, remotePath: string): Promise<void> {
  await files.write(recordPath(stagingPath), `${remotePath}\n`);
}

export async function forgetSource({ proxy }: SmbDriver, stagingPath: string): Promise<void> {
  await proxy.filesystem.rmdir({ path: recordPath(stagingPath), force: true });
}
