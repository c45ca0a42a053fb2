import { win32 } from "node:path";
import { messageOf } from "@csi-sidecars/base";
import type { NodeStageVolumeRequest, NodeUnstageVolumeRequest } from "@csi-sidecars/csi";
import { CsiProxyError, rootMappingPath } from "@csi-sidecars/csi-proxy";
import { refuse, requireFields } from "./call-status.ts";
import type { SmbDriver } from "./driver.ts";
import { isSamePath, windowsPath } from "./host-files.ts";
import { type CallLimits, removeLinkOrEmptyFolder } from "./remove-link.ts";
import { forgetSource, recordedSource, recordSource } from "./source-record.ts";
import { checkCapability, volumeSource } from "./volume-source.ts";

/** NodeStageVolume: records the source, maps the share for the node, and links the staging path to it. */
export async function stageVolume(driver: SmbDriver, request: NodeStageVolumeRequest, limits: CallLimits): Promise<object> {
  requireFields({ volume_id: request.volumeId });
  const stagingPath = windowsPath("staging_target_path", request.stagingTargetPath);
  checkCapability(request.volumeCapability);
  const { remotePath, username, password } = volumeSource(request);
  const { filesystem, smb } = driver.proxy;
  await driver.locks.run(rootMappingPath(remotePath), async () => {
    const recorded = await recordedSource(driver, stagingPath);
    if (recorded !== undefined && !isSamePath(recorded, remotePath)) {
      refuse("AlreadyExists", `the volume is staged at ${stagingPath} with another source: ${recorded}, not ${remotePath}`);
    }
    await filesystem.mkdir({ path: win32.dirname(stagingPath) }, limits);
    const isLinked = (await driver.files.readlink(stagingPath)) !== undefined;
    // Kubelet makes a folder where the link must be. One that is not empty is an error: it has data.
    if (!isLinked) await removeLinkOrEmptyFolder(driver, stagingPath, limits);
    if (recorded === undefined) await recordSource(driver, stagingPath, remotePath);
    try {
      // Also for a volume that is staged: the mapping may have been lost, or the password changed.
      await smb.newSmbGlobalMapping({ remotePath, localPath: stagingPath, username, password }, limits);
    } catch (error) {
      if (!isLinked && !limits.signal.aborted) await undo(driver, stagingPath, remotePath, error, limits);
      throw error;
    }
  });
  return {};
}

/** NodeUnstageVolume: removes the mapping with the last volume of its share, and the link. */
export async function unstageVolume(driver: SmbDriver, request: NodeUnstageVolumeRequest, limits: CallLimits): Promise<object> {
  requireFields({ volume_id: request.volumeId });
  const stagingPath = windowsPath("staging_target_path", request.stagingTargetPath);
  const source = await recordedSource(driver, stagingPath);
  const key = source === undefined ? stagingPath : rootMappingPath(source);
  await driver.locks.run(key, () => release(driver, stagingPath, source, limits));
  return {};
}

/** Kubelet does not unstage what has failed for good. Where something cannot be undone, the call must be one that may be repeated. */
async function undo(driver: SmbDriver, stagingPath: string, source: string, failure: unknown, limits: CallLimits): Promise<void> {
  await release(driver, stagingPath, source, limits).catch((error: unknown) => {
    refuse("Unavailable", `${messageOf(failure)}; it could not be undone: ${messageOf(error)}`);
  });
}

async function release(driver: SmbDriver, stagingPath: string, source: string | undefined, limits: CallLimits): Promise<void> {
  const share = source === undefined ? undefined : rootMappingPath(source);
  if (share !== undefined && !(await isStagedElsewhere(driver, share, stagingPath))) await removeMapping(driver, share, limits);
  await removeLinkOrEmptyFolder(driver, stagingPath, limits);
  // Last: it is what a repeated call finds the mapping by.
  await forgetSource(driver, stagingPath);
}

/** Whether another volume of this driver uses the share. Kubelet stages each at `<folder of the driver>\<volume>\globalmount`. */
async function isStagedElsewhere(driver: SmbDriver, share: string, stagingPath: string): Promise<boolean> {
  const [volumes, name] = [win32.dirname(win32.dirname(stagingPath)), win32.basename(stagingPath)];
  for (const volume of await driver.files.list(volumes)) {
    const other = win32.join(volumes, volume, name);
    const source = isSamePath(other, stagingPath) ? undefined : await recordedSource(driver, other);
    if (source !== undefined && rootMappingPath(source) === share) return true;
  }
  return false;
}

async function removeMapping({ proxy }: SmbDriver, share: string, limits: CallLimits): Promise<void> {
  await proxy.smb.removeSmbGlobalMapping({ remotePath: share }, limits).catch((error: unknown) => {
    const isGone = error instanceof CsiProxyError && error.code === "NotFound";
    if (!isGone) throw error;
  });
}
