import { messageOf } from "@csi-sidecars/base";
import { StorageHealthErrorType as Status } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { volumeHealth } from "../controller/volume-health.ts";
import { checkOnNode } from "../health.ts";
import { required } from "../refuse.ts";

/** NodeGetVolumeHealth: whether a volume is where it was published. */
export async function nodeGetVolumeHealth(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  required({ volume_id: volumeId });
  return { volumeHealth: volumeHealth(volumeId, await checkOnNode(backend, volumeById(backend, volumeId))) };
}

/** NodeGetStorageHealth: whether the place of all volumes is there and has room. */
export async function nodeGetStorageHealth({ data }: Backend) {
  try {
    const space = await data.space();
    const full = { status: Status.STORAGE_DEGRADED, reason: "StorageFull", message: "There is no free space for volumes" };
    return { backendHealth: space?.available === 0n ? [full] : [] };
  } catch (error) {
    const message = messageOf(error);
    return { backendHealth: [{ status: Status.STORAGE_UNREACHABLE, reason: "StorageUnreachable", message }] };
  }
}
