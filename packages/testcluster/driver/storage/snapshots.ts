import type { Timestamp } from "@csi-sidecars/csi";
import type { Settings } from "../driver-options.ts";
import type { Behaviour } from "../methods.ts";
import { existing, page, refuse, type Storage, type StoredGroup, type StoredSnapshot } from "./storage.ts";

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
function takeSnapshot(
  storage: Storage,
  settings: Settings,
  { name, sourceVolumeId, groupId = "" }: { readonly name: string; readonly sourceVolumeId: string; readonly groupId?: string },
): StoredSnapshot {
  const { snapshotsReady: ready } = settings;
  const unreadyAnswers = typeof ready === "boolean" ? undefined : ready.afterAnswers;
  const snapshot: StoredSnapshot = {
    id: storage.nextId("snap"),
    name,
    sourceVolumeId,
    sizeBytes: existing(storage, sourceVolumeId).capacityBytes,
    creationTime: timestamp(settings),
    groupId,
    readyToUse: ready === true || unreadyAnswers === 0,
    unreadyAnswers,
  };
  storage.snapshots.set(snapshot.id, snapshot);
  return snapshot;
}

/** Now. */
function timestamp({ clock }: Settings): Timestamp {
  const ms = clock.now();
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Math.floor(ms % 1000) * 1_000_000 };
}

/** The CSI message of a snapshot. One that becomes ready by being asked for counts it. */
function describedSnapshot(snapshot: StoredSnapshot) {
  const { id, sourceVolumeId, sizeBytes, creationTime, readyToUse, groupId } = snapshot;
  if (snapshot.unreadyAnswers) snapshot.readyToUse = --snapshot.unreadyAnswers === 0;
  return { snapshotId: id, sourceVolumeId, sizeBytes, creationTime, readyToUse, groupSnapshotId: groupId };
}

/** Snapshots of several volumes at one moment. */
export function groupSnapshots(storage: Storage, settings: Settings) {
  const described = ({ id, snapshotIds, creationTime }: StoredGroup) => {
    const members = snapshotIds.flatMap((snapshotId) => storage.snapshots.get(snapshotId) ?? []);
    return {
      groupSnapshotId: id,
      snapshots: members.map(describedSnapshot),
      creationTime,
      readyToUse: members.every(({ readyToUse }) => readyToUse),
    };
  };
  return {
    CreateVolumeGroupSnapshot({ name, sourceVolumeIds }) {
      if (name === "") refuse("InvalidArgument", "name is missing");
      if (sourceVolumeIds.length === 0) refuse("InvalidArgument", "source_volume_ids are missing");
      const same = [...storage.groups.values()].find((group) => group.name === name);
      if (same) {
        const sources = same.snapshotIds.map((id) => storage.snapshots.get(id)?.sourceVolumeId);
        if (sources.toSorted().join() !== sourceVolumeIds.toSorted().join())
          refuse("AlreadyExists", `group ${name} is of volumes ${sources.join(", ")}`);
        return { groupSnapshot: described(same) };
      }
      for (const volumeId of sourceVolumeIds) existing(storage, volumeId);
      const groupId = storage.nextId("group");
      const members = sourceVolumeIds.map((sourceVolumeId) =>
        takeSnapshot(storage, settings, { name: `${name}/${sourceVolumeId}`, sourceVolumeId, groupId }),
      );
      const group: StoredGroup = { id: groupId, name, snapshotIds: members.map(({ id }) => id), creationTime: timestamp(settings) };
      storage.groups.set(groupId, group);
      return { groupSnapshot: described(group) };
    },
    DeleteVolumeGroupSnapshot({ groupSnapshotId, snapshotIds }) {
      const group = storage.groups.get(groupSnapshotId);
      if (!group) return {};
      checkMembers(group, snapshotIds);
      for (const id of group.snapshotIds) storage.snapshots.delete(id);
      storage.groups.delete(groupSnapshotId);
      return {};
    },
    GetVolumeGroupSnapshot({ groupSnapshotId, snapshotIds }) {
      const group = storage.groups.get(groupSnapshotId) ?? refuse("NotFound", `group ${groupSnapshotId} does not exist`);
      checkMembers(group, snapshotIds);
      return { groupSnapshot: described(group) };
    },
  } satisfies Partial<Behaviour>;
}

/** Refuses a call that names other snapshots than those of the group. */
function checkMembers({ id, snapshotIds }: StoredGroup, named: readonly string[]): void {
  if (snapshotIds.toSorted().join() !== named.toSorted().join())
    refuse("InvalidArgument", `group ${id} has the snapshots ${snapshotIds.join(", ")}, not ${named.join(", ")}`);
}
