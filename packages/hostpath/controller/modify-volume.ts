import type { ControllerModifyVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, saveVolume, volumeById } from "../backend.ts";
import { volumeLock } from "../locks.ts";
import { refuse, required } from "../refuse.ts";
import { checkMutableParameters } from "./mutable-parameters.ts";

/** ControllerModifyVolume: parameters that are not given stay as they are. */
export async function controllerModifyVolume(backend: Backend, { volumeId, mutableParameters }: ControllerModifyVolumeRequest) {
  required({ volume_id: volumeId });
  if (Object.keys(mutableParameters).length === 0) refuse("InvalidArgument", "mutable_parameters missing in request");
  checkMutableParameters(backend.settings, mutableParameters);
  await backend.locks.run([volumeLock(volumeId)], async () => {
    const volume = volumeById(backend, volumeId);
    await saveVolume(backend, { ...volume, mutableParameters: { ...volume.mutableParameters, ...mutableParameters } });
  });
  return {};
}
