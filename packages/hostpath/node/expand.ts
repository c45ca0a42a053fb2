import { stat } from "node:fs/promises";
import type { NodeExpandVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { requestedSize } from "../controller/requested-size.ts";
import { refuse, required } from "../refuse.ts";

/** NodeExpandVolume: there is no file system to grow; what can be wrong with the request is checked. */
export async function nodeExpandVolume(backend: Backend, { volumeId, volumePath, capacityRange }: NodeExpandVolumeRequest) {
  const { settings, mounter } = backend;
  required({ volume_id: volumeId });
  const volume = volumeById(backend, volumeId);
  required({ volume_path: volumePath, capacity_range: capacityRange });
  const { required: wanted } = requestedSize(capacityRange);
  const maximum = settings.maxVolumeSizeNode || settings.maxVolumeSize;
  if (wanted > maximum) refuse("OutOfRange", `Requested capacity ${wanted} exceeds maximum allowed ${maximum}`);
  const found = await stat(volumePath).catch(() => undefined);
  if (!found) return refuse("InvalidArgument", `volume_path ${volumePath} does not exist`);
  const isRight =
    volume.accessType === "mount" ? found.isDirectory() : mounter.mode === "bind" ? found.isBlockDevice() : !found.isDirectory();
  if (!isRight) refuse("InvalidArgument", `volume ${volumeId} is a ${volume.accessType} volume, and ${volumePath} is none`);
  return { capacityBytes: volume.size };
}
