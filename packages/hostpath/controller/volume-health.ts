import { type ControllerListVolumeHealthRequest, VolumeHealthErrorType as Status } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { checkAsController, type Finding } from "../health.ts";
import { required } from "../refuse.ts";
import { pageOf } from "./page.ts";

/** A volume's health as CSI 1.13 tells it: nothing, when it is well. */
export function volumeHealth(volumeId: string, { abnormal, status, reason, message }: Finding) {
  return { volumeId, healthStatuses: abnormal ? [{ status: Status[status], reason, message }] : [] };
}

/** ControllerGetVolumeHealth. */
export async function controllerGetVolumeHealth(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  required({ volume_id: volumeId });
  const volume = volumeById(backend, volumeId);
  return { volumeHealth: volumeHealth(volumeId, checkAsController(backend, volume, await backend.data.space())) };
}

/** ControllerListVolumeHealth: only volumes with which something is wrong. */
export async function controllerListVolumeHealth(backend: Backend, request: ControllerListVolumeHealthRequest) {
  const space = await backend.data.space();
  const healthOf = (id: string) => volumeHealth(id, checkAsController(backend, volumeById(backend, id), space));
  const unwell = backend.state.volumes.ids().filter((id) => healthOf(id).healthStatuses.length > 0);
  const { ids, nextToken } = pageOf(unwell, request.maxEntries, request.startingToken);
  return { entries: ids.map(healthOf), nextToken };
}
