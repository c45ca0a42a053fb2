import { win32 } from "node:path";
import type { NodeStageVolumeRequest, NodeUnstageVolumeRequest } from "@csi-sidecars/csi";
import { CsiProxyError, rootMappingPath } from "@csi-sidecars/csi-proxy";
import { refuse, requireFields } from "./call-status.ts";
import type { SmbDriver } from "./driver.ts";
import { isSamePath, windowsPath } from "./host-files.ts";
import { checkCapability, volumeSource } from "./volume-source.ts";

interface CallLimits {
  readonly signal: AbortSignal;
}

/** NodeStageVolume: maps the share for the node, and links the staging path to it. */
export async function stageVolume(driver: SmbDriver, request: NodeStageVolumeRequest, limits: CallLimits): Promise<object> {
  requireFields({ volume_id: request.volumeId });
  const stagingPath = windowsPath("staging_target_path", request.stagingTargetPath);
  checkCapability(request.volumeCapability);
  const { remotePath, username, password } = volumeSource(request);
  const { filesystem, smb } = driver.proxy;
  await driver.locks.run(rootMappingPath(remotePath), async () => {
    const staged = await driver.files.readlink(stagingPath);
    if (staged !== undefined && !isSamePath(staged, remotePath)) {
      refuse("AlreadyExists", `${stagingPath} leads to ${staged}, not to ${remotePath}: the volume is staged with another source`);
    }
    await filesystem.mkdir({ path: win32.dirname(stagingPath) }, limits);
    // Kubelet makes a folder where the link must be. One that is not empty is an error: it has data.
    if (staged === undefined && (await filesystem.pathExists({ path: stagingPath }, limits)).exists) {
      await filesystem.rmdir({ path: stagingPath, force: false }, limits);
    }
    // Also for a volume that is staged: the mapping may have been lost, or the password changed.
    await smb.newSmbGlobalMapping({ remotePath, localPath: stagingPath, username, password }, limits);
  });
  return {};
}

/** NodeUnstageVolume: removes the link, and the mapping with the last volume of its share. */
export async function unstageVolume(driver: SmbDriver, request: NodeUnstageVolumeRequest, limits: CallLimits): Promise<object> {
  requireFields({ volume_id: request.volumeId });
  const stagingPath = windowsPath("staging_target_path", request.stagingTargetPath);
  const { filesystem } = driver.proxy;
  const staged = await driver.files.readlink(stagingPath);
  const share = staged?.startsWith("\\\\") ? rootMappingPath(staged) : undefined;
  await driver.locks.run(share ?? stagingPath, async () => {
    // The link goes last: it is what a repeated call finds the mapping by.
    if (share !== undefined && !(await isStagedElsewhere(driver, share, stagingPath))) await removeMapping(driver, share, limits);
    const { exists } = await filesystem.pathExists({ path: stagingPath }, limits);
    if (exists) await filesystem.rmdir({ path: stagingPath, force: false }, limits);
  });
  return {};
}

/** Whether another volume of this driver uses the share. Kubelet stages each at `<folder of the driver>\<volume>\globalmount`. */
async function isStagedElsewhere({ files }: SmbDriver, share: string, stagingPath: string): Promise<boolean> {
  const [volumes, name] = [win32.dirname(win32.dirname(stagingPath)), win32.basename(stagingPath)];
  for (const volume of await files.list(volumes)) {
    const other = win32.join(volumes, volume, name);
    const target = isSamePath(other, stagingPath) ? undefined : await files.readlink(other);
    if (target?.startsWith("\\\\") && rootMappingPath(target) === share) return true;
  }
  return false;
}

async function removeMapping({ proxy }: SmbDriver, share: string, limits: CallLimits): Promise<void> {
  await proxy.smb.removeSmbGlobalMapping({ remotePath: share }, limits).catch((error: unknown) => {
    const isGone = error instanceof CsiProxyError && error.code === "NotFound";
    if (!isGone) throw error;
  });
}
