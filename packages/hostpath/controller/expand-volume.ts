import type { ControllerExpandVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, saveVolume, volumeById } from "../backend.ts";
import { volumeLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import type { VolumeRecord } from "../state/records.ts";
import { checkPool, requestedSize } from "./capacity.ts";

/** ControllerExpandVolume: grows, never shrinks. */
export async function controllerExpandVolume(backend: Backend, { volumeId, capacityRange }: ControllerExpandVolumeRequest) {
  const { settings, mounter } = backend;
  requireFields({ volume_id: volumeId, capacity_range: capacityRange });
  const { required: size, limit } = requestedSize(capacityRange);
  if (size > settings.maxVolumeSize) refuse("OutOfRange", `Requested capacity ${size} exceeds maximum allowed ${settings.maxVolumeSize}`);
  return backend.locks.run([volumeLock(volumeId)], async () => {
    const volume = volumeById(backend, volumeId);
    const answer = (capacityBytes: bigint) => ({ capacityBytes, nodeExpansionRequired: settings.nodeExpansion });
    if (limit > 0n && volume.size > limit)
      refuse("OutOfRange", `volume ${volumeId} has ${volume.size} bytes, more than the limit ${limit}`);
    if (volume.size >= size) {
      // The call before may have failed after its size was noted.
      await mounter.grown(volume);
      return answer(volume.size);
    }
    if (settings.expansionMode === "offline" && (volume.attachments.length > 0 || volume.published.length > 0)) {
      refuse("FailedPrecondition", `volume ${volumeId} is in use and can only be expanded offline`);
    }
    await growVolume(backend, volume, size);
    return answer(size);
  });
}

/** Gives a volume more space, or leaves it as it was. The caller holds its lock. */
export async function growVolume(backend: Backend, volume: VolumeRecord, size: bigint): Promise<void> {
  const { data, mounter } = backend;
  const more = size - volume.size;
  if (volume.kind) checkPool(backend, volume.kind, more);
  backend.reserved.add(volume.kind, more);
  try {
    await data.resize(volume, size);
    await saveVolume(backend, { ...volume, size }).catch(async (error: unknown) => {
      await data.resize(volume, volume.size);
      throw error;
    });
  } finally {
    backend.reserved.add(volume.kind, -more);
  }
  await mounter.grown(volume);
}
