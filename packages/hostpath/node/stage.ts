import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { NodeStageVolumeRequest, NodeUnstageVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, saveVolume, volumeById } from "../backend.ts";
import { capabilityName, checkAccessType, isSameCapability } from "../controller/volume-capabilities.ts";
import { volumeLock } from "../locks.ts";
import { mountPointOf } from "../mount/mountinfo.ts";
import { refuse, requireFields } from "../refuse.ts";

/** NodeStageVolume: mounts nothing, only records the path. */
export async function nodeStageVolume(backend: Backend, request: NodeStageVolumeRequest) {
  const { volumeId, stagingTargetPath: path, volumeCapability } = request;
  requireFields({ volume_id: volumeId, staging_target_path: path, volume_capability: volumeCapability });
  await checkHostPath(backend, "staging_target_path", path);
  await backend.locks.run([volumeLock(volumeId)], async () => {
    const { settings } = backend;
    const volume = volumeById(backend, volumeId);
    const served = [settings.nodeId, ...settings.otherNodes];
    if (settings.attach && !volume.attachments.some(({ nodeId }) => served.includes(nodeId))) {
      refuse(settings.unattachedStageCode, `ControllerPublishVolume must be called on volume '${volumeId}' before staging on node`);
    }
    checkAccessType(volume, volumeCapability, "stage");
    const stagedAs = volumeCapability ? capabilityName(volumeCapability) : "";
    if (volume.staged.includes(path)) {
      if (isSameCapability(volume.stagedAs, stagedAs)) return;
      refuse("AlreadyExists", `volume ${volumeId} is staged at ${path} as ${volume.stagedAs}`);
    }
    if (volume.staged.length > 0) refuse("FailedPrecondition", `volume ${volumeId} is already staged at ${volume.staged.join(", ")}`);
    await saveVolume(backend, { ...volume, staged: [path], stagedAs });
  });
  return {};
}

/** NodeUnstageVolume. */
export async function nodeUnstageVolume(backend: Backend, { volumeId, stagingTargetPath: path }: NodeUnstageVolumeRequest) {
  requireFields({ volume_id: volumeId, staging_target_path: path });
  await backend.locks.run([volumeLock(volumeId)], async () => {
    const volume = volumeById(backend, volumeId);
    if (!volume.staged.includes(path)) return;
    if (volume.published.length > 0) {
      const targets = volume.published.map(({ target }) => target).join(", ");
      refuse("Internal", `volume ${volumeId} is still published at ${targets} on node ${volume.nodeId}`);
    }
    await saveVolume(backend, { ...volume, staged: volume.staged.filter((staged) => staged !== path), stagedAs: "" });
  });
  return {};
}

/** Refuses a path that is not absolute, as CSI requires, or that is inside the state directory. */
export async function checkHostPath({ settings }: Backend, field: string, path: string): Promise<void> {
  if (!isAbsolute(path)) refuse("InvalidArgument", `${field} ${JSON.stringify(path)} is no absolute path`);
  if (settings.backend === "memory") return;
  const [real, home] = [await mountPointOf(path), await realpath(settings.stateDir)];
  if (real === home || real.startsWith(`${home}/`)) refuse("InvalidArgument", `${field} ${path} is in the state directory of the driver`);
}
