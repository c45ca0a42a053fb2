import type { Behaviour } from "../methods.ts";
import { existing, refuse } from "./refuse.ts";
import type { Settings } from "./settings.ts";
import { describedSnapshot, takeSnapshot, timestamp } from "./snapshots.ts";
import type { Storage, StoredGroup } from "./storage.ts";

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
      const strange = snapshotIds.filter((id) => !group.snapshotIds.includes(id));
      if (strange.length > 0) refuse("InvalidArgument", `group ${groupSnapshotId} does not have ${strange.join(", ")}`);
      for (const id of group.snapshotIds) storage.snapshots.delete(id);
      storage.groups.delete(groupSnapshotId);
      return {};
    },
    GetVolumeGroupSnapshot({ groupSnapshotId }) {
      const group = storage.groups.get(groupSnapshotId) ?? refuse("NotFound", `group ${groupSnapshotId} does not exist`);
      return { groupSnapshot: described(group) };
    },
  } satisfies Partial<Behaviour>;
}
