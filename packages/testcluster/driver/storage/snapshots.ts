import type { Timestamp } from "@csi-sidecars/csi";
import type { Behaviour } from "../methods.ts";
import { page } from "./page.ts";
import { existing, refuse } from "./refuse.ts";
import type { Settings } from "./settings.ts";
import type { Storage, StoredSnapshot } from "./storage.ts";

/** Snapshots of single volumes. */
export function snapshots(storage: Storage, settings: Settings) {
  return {
    CreateSnapshot({ name, sourceVolumeId }) {
      if (name === "") refuse("InvalidArgument", "name is missing");
      const same = [...storage.snapshots.values()].find((snapshot) => snapshot.name === name);
      if (same && same.sourceVolumeId !== sourceVolumeId) refuse("AlreadyExists", `snapshot ${name} is of volume ${same.sourceVolumeId}`);
      return { snapshot: describedSnapshot(same ?? takeSnapshot(storage, settings, { name, sourceVolumeId })) };
    },
    DeleteSnapshot({ snapshotId }) {
      if (snapshotId === "") refuse("InvalidArgument", "snapshot_id is missing");
      const groupId = storage.snapshots.get(snapshotId)?.groupId;
      if (groupId) refuse("FailedPrecondition", `snapshot ${snapshotId} belongs to group ${groupId}`);
      storage.snapshots.delete(snapshotId);
      return {};
    },
    ListSnapshots({ maxEntries, startingToken, snapshotId, sourceVolumeId }) {
      const asked = [...storage.snapshots.values()].filter(
        (snapshot) =>
          (snapshotId === "" || snapshot.id === snapshotId) && (sourceVolumeId === "" || snapshot.sourceVolumeId === sourceVolumeId),
      );
      const { entries, nextToken } = page(asked, maxEntries, startingToken);
      return { entries: entries.map((snapshot) => ({ snapshot: describedSnapshot(snapshot) })), nextToken };
    },
    GetSnapshot({ snapshotId }) {
      const snapshot = storage.snapshots.get(snapshotId) ?? refuse("NotFound", `snapshot ${snapshotId} does not exist`);
      return { snapshot: describedSnapshot(snapshot) };
    },
  } satisfies Partial<Behaviour>;
}

/** A new snapshot of a volume as it is now. */
export function takeSnapshot(
  storage: Storage,
  settings: Settings,
  { name, sourceVolumeId, groupId = "" }: { readonly name: string; readonly sourceVolumeId: string; readonly groupId?: string },
): StoredSnapshot {
  const snapshot: StoredSnapshot = {
    id: storage.nextId("snap"),
    name,
    sourceVolumeId,
    sizeBytes: existing(storage, sourceVolumeId).capacityBytes,
    creationTime: timestamp(settings),
    groupId,
    readyToUse: settings.snapshotsReady,
  };
  storage.snapshots.set(snapshot.id, snapshot);
  return snapshot;
}

/** Now. */
export function timestamp({ clock }: Settings): Timestamp {
  const ms = clock.now();
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Math.floor(ms % 1000) * 1_000_000 };
}

/** A snapshot as CSI tells it. */
export function describedSnapshot({ id, sourceVolumeId, sizeBytes, creationTime, readyToUse, groupId }: StoredSnapshot) {
  return { snapshotId: id, sourceVolumeId, sizeBytes, creationTime, readyToUse, groupSnapshotId: groupId };
}
