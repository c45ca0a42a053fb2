import { win32 } from "node:path";
import type { NodePublishVolumeRequest, NodeUnpublishVolumeRequest } from "@csi-sidecars/csi";
import { refuse, requireFields } from "./call-status.ts";
import type { SmbDriver } from "./driver.ts";
import { isSamePath, windowsPath } from "./host-files.ts";
import { type CallLimits, removeLinkOrEmptyFolder } from "./remove-link.ts";
import { checkCapability } from "./volume-source.ts";

/** NodePublishVolume: links a path of the pod to the staged volume. `readonly` is left to the container runtime: a link has no modes. */
export async function publishVolume(driver: SmbDriver, request: NodePublishVolumeRequest, limits: CallLimits): Promise<object> {
  requireFields({ volume_id: request.volumeId });
  const targetPath = windowsPath("target_path", request.targetPath);
  const stagingPath = windowsPath("staging_target_path", request.stagingTargetPath);
  checkCapability(request.volumeCapability);
  const { filesystem } = driver.proxy;
  await driver.locks.run(targetPath.toLowerCase(), async () => {
    const published = await driver.files.readlink(targetPath);
    if (published !== undefined && isSamePath(published, stagingPath)) return;
    const source = await driver.files.readlink(stagingPath);
    if (source === undefined) refuse("FailedPrecondition", `volume ${request.volumeId} is not staged at ${stagingPath}`);
    // A link that is made while the share is away may become one to a file, which no container can enter, and stays for good.
    const { valid } = await filesystem.pathValid({ path: source }, limits);
    if (!valid) refuse("Unavailable", `volume ${request.volumeId}: ${source} cannot be reached`);
    await filesystem.mkdir({ path: win32.dirname(targetPath) }, limits);
    await removeLinkOrEmptyFolder(driver, targetPath, limits);
    await filesystem.createSymlink({ sourcePath: stagingPath, targetPath }, limits);
  });
  return {};
}

/** NodeUnpublishVolume: removes the link, never what it leads to. */
export async function unpublishVolume(driver: SmbDriver, request: NodeUnpublishVolumeRequest, limits: CallLimits): Promise<object> {
  requireFields({ volume_id: request.volumeId });
  const targetPath = windowsPath("target_path", request.targetPath);
  await driver.locks.run(targetPath.toLowerCase(), () => removeLinkOrEmptyFolder(driver, targetPath, limits));
  return {};
}
