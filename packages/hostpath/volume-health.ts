import { messageOf } from "@csi-sidecars/base";
import { type ControllerListVolumeHealthRequest, StorageHealthErrorType, VolumeHealthErrorType } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "./backend.ts";
import { pageOf } from "./controller/paging.ts";
import type { Space } from "./data/data.ts";
import type { Condition } from "./faults/condition-rules.ts";
import { requireFields } from "./refuse.ts";
import type { VolumeRecord } from "./state/records.ts";

/** The result of a health check, as in the health RPCs of CSI 1.13: severity, reason and message. */
export interface VolumeHealth extends Condition {
  readonly status: keyof typeof VolumeHealthErrorType;
  readonly reason: string;
}

const normal: VolumeHealth = { abnormal: false, message: "", status: "UNKNOWN_VOLUME_HEALTH_TYPE", reason: "" };
const abnormal = (status: VolumeHealth["status"], reason: string, message: string): VolumeHealth => ({
  abnormal: true,
  status,
  reason,
  message,
});

/** A volume's health as the Controller service sees it; `space` is that of the state directory's file system. */
export function controllerHealth({ conditions, data }: Backend, volume: VolumeRecord, space: Space | undefined): VolumeHealth {
  const override = conditions.of(volume);
  if (override) return scriptedHealth(override);
  if (!data.exists(volume)) return abnormal("DATA_LOSS", "SourceMissing", "The source path of the volume doesn't exist");
  if (space && space.total < volume.size)
    return abnormal("DEGRADED", "StorageTooSmall", "The capacity of volume is greater than actual storage");
  if (space?.available === 0n) return abnormal("DEGRADED", "StorageFull", "The free space of the volume is insufficient");
  return normal;
}

/** A volume's health as the Node service sees it. */
export async function nodeHealth({ conditions, mounter }: Backend, volume: VolumeRecord): Promise<VolumeHealth> {
  const override = conditions.of(volume);
  if (override) return scriptedHealth(override);
  for (const { target } of volume.published) if (await mounter.isPublished(volume, target)) return normal;
  return abnormal("INACCESSIBLE", "NotMounted", "The volume isn't mounted");
}

/** The part of the health that `VolumeCondition` has. */
export const conditionOf = ({ abnormal, message }: VolumeHealth): Condition => ({ abnormal, message });

const scriptedHealth = (condition: Condition): VolumeHealth =>
  condition.abnormal ? abnormal("DEGRADED", "Scripted", condition.message) : { ...normal, message: condition.message };

/** A volume's health in a response of CSI 1.13: no status if it is healthy. */
function healthResponse(volumeId: string, { abnormal, status, reason, message }: VolumeHealth) {
  return { volumeId, healthStatuses: abnormal ? [{ status: VolumeHealthErrorType[status], reason, message }] : [] };
}

/** ControllerGetVolumeHealth. */
export async function controllerGetVolumeHealth(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  requireFields({ volume_id: volumeId });
  const volume = volumeById(backend, volumeId);
  return { volumeHealth: healthResponse(volumeId, controllerHealth(backend, volume, await backend.data.space())) };
}

/** ControllerListVolumeHealth: lists only unhealthy volumes. */
export async function controllerListVolumeHealth(backend: Backend, request: ControllerListVolumeHealthRequest) {
  const space = await backend.data.space();
  const healthOf = (id: string) => healthResponse(id, controllerHealth(backend, volumeById(backend, id), space));
  const unhealthy = backend.state.volumes.ids().filter((id) => healthOf(id).healthStatuses.length > 0);
  const { ids, nextToken } = pageOf(unhealthy, request.maxEntries, request.startingToken);
  return { entries: ids.map(healthOf), nextToken };
}

/** NodeGetVolumeHealth: whether a volume is mounted where it was published. */
export async function nodeGetVolumeHealth(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  requireFields({ volume_id: volumeId });
  return { volumeHealth: healthResponse(volumeId, await nodeHealth(backend, volumeById(backend, volumeId))) };
}

/** NodeGetStorageHealth: whether the state directory is there and has free space. */
export async function nodeGetStorageHealth({ data }: Backend) {
  try {
    const space = await data.space();
    const full = { status: StorageHealthErrorType.STORAGE_DEGRADED, reason: "StorageFull", message: "There is no free space for volumes" };
    return { backendHealth: space?.available === 0n ? [full] : [] };
  } catch (error) {
    const message = messageOf(error);
    return { backendHealth: [{ status: StorageHealthErrorType.STORAGE_UNREACHABLE, reason: "StorageUnreachable", message }] };
  }
}
