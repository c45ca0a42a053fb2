import type { ControllerModifyVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, saveVolume, volumeById } from "../backend.ts";
import { volumeLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import type { Settings } from "../settings.ts";

/** ControllerModifyVolume: parameters that are not given stay as they are. */
export async function controllerModifyVolume(backend: Backend, { volumeId, mutableParameters }: ControllerModifyVolumeRequest) {
  requireFields({ volume_id: volumeId });
  if (Object.keys(mutableParameters).length === 0) refuse("InvalidArgument", "mutable_parameters missing in request");
  checkMutableParameters(backend.settings, mutableParameters);
  await backend.locks.run([volumeLock(volumeId)], async () => {
    const volume = volumeById(backend, volumeId);
    await saveVolume(backend, { ...volume, mutableParameters: { ...volume.mutableParameters, ...mutableParameters } });
  });
  return {};
}

/** Refuses mutable parameters whose names are not accepted. */
export function checkMutableParameters({ acceptedMutableParameters }: Settings, parameters: Readonly<Record<string, string>>): void {
  if (acceptedMutableParameters.length === 0) return;
  const unknown = Object.keys(parameters).filter((key) => !acceptedMutableParameters.includes(key));
  if (unknown.length > 0) refuse("InvalidArgument", `invalid parameters: [${unknown.join(" ")}]`);
}
