import type { SmbDriver } from "./driver.ts";

/** When a call ends although its work has not. */
export interface CallLimits {
  readonly signal: AbortSignal;
}

/** Removes a link, or the folder that kubelet makes in its place. Without `force`, so that a folder with data in it is an error. */
export async function removeLinkOrEmptyFolder({ proxy: { filesystem } }: SmbDriver, path: string, limits: CallLimits): Promise<void> {
  const { exists } = await filesystem.pathExists({ path }, limits);
  if (exists) await filesystem.rmdir({ path, force: false }, limits);
}
