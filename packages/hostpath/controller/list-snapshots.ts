import type { ListSnapshotsRequest } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { pageOf } from "./page.ts";
import { snapshotAnswer } from "./snapshots.ts";

/** ListSnapshots: one by its id, those of a volume, or all; what is not there is an empty list. */
export function listSnapshots(backend: Backend, { snapshotId, sourceVolumeId, maxEntries, startingToken }: ListSnapshotsRequest) {
  const { state } = backend;
  const matching = () => {
    if (snapshotId) return state.snapshots.get(snapshotId) ? [snapshotId] : [];
    return sourceVolumeId ? state.snapshotsOf(sourceVolumeId) : state.snapshots.ids();
  };
  const { ids, nextToken } = pageOf(matching(), maxEntries, startingToken);
  const entries = ids.flatMap((id) => {
    const snapshot = state.snapshots.get(id);
    const wanted = snapshot && (!sourceVolumeId || snapshot.volumeId === sourceVolumeId);
    return wanted ? [{ snapshot: snapshotAnswer(backend, snapshot) }] : [];
  });
  return { entries, nextToken };
}
