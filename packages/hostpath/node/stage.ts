import type { NodeStageVolumeRequest, NodeUnstageVolumeRequest } from "@csi-sidecars/csi";
import { checkAccessType } from "../access-type.ts";
import { type Backend, saveVolume, volumeById } from "../backend.ts";
import { capabilityName, isSameUse } from "../capability-name.ts";
import { volumeLock } from "../locks.ts";
import { refuse, required } from "../refuse.ts";
import { checkHostPath } from "./host-path.ts";

/** NodeStageVolume: nothing is mounted, only noted. */
export async function nodeStageVolume(backend: Backend, request: NodeStageVolumeRequest) {
  const { volumeId, stagingTargetPath: path, volumeCapability } = request;
  required({ volume_id: volumeId, staging_target_path: path, volume_capability: volumeCapability });
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
      if (isSameUse(volume.stagedAs, stagedAs)) return;
      refuse("AlreadyExists", `volume ${volumeId} is staged at ${path} as ${volume.stagedAs}`);
    }
    if (volume.staged.length > 0) refuse("FailedPrecondition", `volume ${volumeId} is already staged at ${volume.staged.join(", ")}`);
    await saveVolume(backend, { ...volume, staged: [path], stagedAs });
  });
  return {};
}

/** NodeUnstageVolume. */
export async function nodeUnstageVolume(backend: Backend, { volumeId, stagingTargetPath: path }: NodeUnstageVolumeRequest) {
  required({ volume_id: volumeId, staging_target_path: path });
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
