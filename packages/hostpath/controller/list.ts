import type { ListSnapshotsRequest, ListVolumesRequest } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import type { Space } from "../data/data.ts";
import { requireFields } from "../refuse.ts";
import type { VolumeRecord } from "../state/records.ts";
import { conditionOf, controllerHealth } from "../volume-health.ts";
import { volumeResponse } from "./create-volume.ts";
import { pageOf } from "./paging.ts";
import { snapshotResponse } from "./snapshots.ts";

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

/** ControllerGetVolume: one entry of ListVolumes. */
export async function controllerGetVolume(backend: Backend, { volumeId }: { readonly volumeId: string }) {
  requireFields({ volume_id: volumeId });
  const space = await backend.data.space();
  return entry(backend, volumeById(backend, volumeId), space);
}

function entry(backend: Backend, volume: VolumeRecord, space: Space | undefined) {
  return {
    volume: volumeResponse(backend, volume),
    status: {
      publishedNodeIds: volume.attachments.map(({ nodeId }) => nodeId),
      ...(backend.settings.volumeCondition && { volumeCondition: conditionOf(controllerHealth(backend, volume, space)) }),
    },
  };
}

/** ListSnapshots: one by its id, which is how its readiness is polled, those of a volume, or all; an empty list if there is none. */
export function listSnapshots(backend: Backend, { snapshotId, sourceVolumeId, maxEntries, startingToken }: ListSnapshotsRequest) {
  const { state, scripted } = backend;
  if (snapshotId) scripted.askedAgain(snapshotId);
  const matching = () => {
    if (snapshotId) return state.snapshots.get(snapshotId) ? [snapshotId] : [];
    return sourceVolumeId ? state.snapshotsOf(sourceVolumeId) : state.snapshots.ids();
  };
  const { ids, nextToken } = pageOf(matching(), maxEntries, startingToken);
  const entries = ids.flatMap((id) => {
    const snapshot = state.snapshots.get(id);
    const wanted = snapshot && (!sourceVolumeId || snapshot.volumeId === sourceVolumeId);
    return wanted ? [{ snapshot: snapshotResponse(backend, snapshot) }] : [];
  });
  return { entries, nextToken };
}
