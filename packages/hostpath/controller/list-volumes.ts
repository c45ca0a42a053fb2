import type { ListVolumesRequest } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import type { Space } from "../data/data.ts";
import { checkAsController, conditionOf } from "../health.ts";
import { required } from "../refuse.ts";
import type { VolumeRecord } from "../state/records.ts";
import { pageOf } from "./page.ts";
import { volumeAnswer } from "./volume-answer.ts";

/** ListVolumes: by id, page by page, with attachments and conditions. */
export async function listVolumes(backend: Backend, { maxEntries, startingToken }: ListVolumesRequest) {
  const { ids, nextToken } = pageOf(backend.state.volumes.ids(), maxEntries, startingToken);
  const space = await backend.data.space();
  const entries = ids.flatMap((id) => {
    const volume = backend.state.volumes.get(id);
    return volume ? [entry(backend, volume, space)] : [];
  });
  return { entries, nextToken };
}

/** ControllerGetVolume: what ListVolumes would say of one volume. */
export async function controllerGetVolume(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  required({ volume_id: volumeId });
  const space = await backend.data.space();
  return entry(backend, volumeById(backend, volumeId), space);
}

function entry(backend: Backend, volume: VolumeRecord, space: Space | undefined) {
  return {
    volume: volumeAnswer(backend, volume),
    status: {
      publishedNodeIds: volume.attachments.map(({ nodeId }) => nodeId),
      volumeCondition: conditionOf(checkAsController(backend, volume, space)),
    },
  };
}
