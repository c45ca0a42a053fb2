import { formatBytes } from "@csi-sidecars/base";
import {
  groupSnapshotAnnotation,
  type KubeObject,
  snapshotAnnotation,
  type V1VolumeGroupSnapshotContent,
  type V1VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import type { Difference } from "./difference.ts";
import { handleOf, type ListedSnapshot, memberHandles, type SnapshotInventory } from "./snapshot-inventory.ts";
import { findByUid } from "./uids-in-ids.ts";
import { isIgnored, isSelected, type VolumeFilter } from "./volume-ids.ts";

export interface SnapshotComparison {
  readonly differences: readonly Difference[];
  /** Snapshots without content that may be being taken for one right now: no differences. */
  readonly inProgress: readonly Difference[];
  /** How many were compared. */
  readonly storageSnapshots: number;
  readonly contents: number;
}

/** Compares the snapshots of a driver with the contents of the cluster. Pure. A snapshot is left out together with the volume that it is one of. */
export function compareSnapshots(inventory: SnapshotInventory, filter: VolumeFilter, since: string): SnapshotComparison {
  const { before, after, contents, groupContents } = inventory;
  const listed = [...after].filter(([id, { sourceVolumeId }]) => isSelected(sourceVolumeId, filter) && !isIgnored(id, filter));
  const own = contents.filter((content) => handleOf(content) !== undefined && isCompared(content, filter));
  const isOwned = ownership(inventory);
  const takenFor = inProgressFor(inventory);
  const without = listed
    .filter(([id, snapshot]) => before.has(id) && !isOwned(id, snapshot))
    .map(([id, snapshot]): Difference => {
      const note = takenFor(id, snapshot);
      const size = snapshot.sizeBytes ? formatBytes(snapshot.sizeBytes) : undefined;
      return {
        kind: "snapshot without content",
        volume: snapshot.sourceVolumeId,
        snapshot: id,
        since,
        ...(size && { size }),
        ...(note && { note }),
      };
    });
  const isMissing = (handle: string) => !before.has(handle) && !after.has(handle);
  const lost = own.filter((content) => isMissing(handleOf(content) ?? "")).map(withoutSnapshot);
  const told = new Set(lost.map(({ snapshot }) => snapshot));
  const lostMembers = groupContents.flatMap((content) =>
    memberHandles(content)
      .filter((handle) => isMissing(handle) && !told.has(handle) && !isIgnored(handle, filter))
      .map((handle) => withoutMember(content, handle)),
  );
  return {
    differences: [...without.filter(({ note }) => note === undefined), ...lost, ...lostMembers],
    inProgress: without.filter(({ note }) => note !== undefined),
    storageSnapshots: listed.length,
    contents: own.length,
  };
}

/** The volume of a snapshot that its creator has named is not known. */
function isCompared(content: V1VolumeSnapshotContent, filter: VolumeFilter): boolean {
  const volume = content.spec?.source?.volumeHandle;
  return (volume === undefined || isSelected(volume, filter)) && !isIgnored(handleOf(content) ?? "", filter);
}

/** Which snapshots a content stands for, its own or that of the group. */
function ownership({ contents, groupContents }: SnapshotInventory): (id: string, snapshot: ListedSnapshot) => boolean {
  const handles = new Set([...contents.flatMap((content) => handleOf(content) ?? []), ...groupContents.flatMap(memberHandles)]);
  const groups = new Set(
    groupContents.flatMap(
      ({ spec, status }) => status?.volumeGroupSnapshotHandle ?? spec?.source?.groupSnapshotHandles?.volumeGroupSnapshotHandle ?? [],
    ),
  );
  return (id, { groupSnapshotId }) => handles.has(id) || (groupSnapshotId !== "" && groups.has(groupSnapshotId));
}

/** A content whose snapshot the driver may be taking. */
interface Pending {
  readonly object: string;
  readonly uid: string | undefined;
  /** Of the volumes, where the driver may have been called. */
  readonly volumes: readonly string[];
}

/** Says for which content a snapshot may be being taken: its id has the uid of that, or it is one of a volume that is being snapshotted. */
function inProgressFor({ contents, groupContents }: SnapshotInventory): (id: string, snapshot: ListedSnapshot) => string | undefined {
  const single = contents
    .filter((content) => handleOf(content) === undefined)
    .map(({ metadata, spec }): Pending => {
      const volumes = hasMark(metadata, snapshotAnnotation.beingCreated) ? [spec?.source?.volumeHandle ?? ""] : [];
      return { object: `VolumeSnapshotContent ${metadata?.name}`, uid: spec?.volumeSnapshotRef?.uid, volumes };
    });
  const groups = groupContents
    .filter(({ spec, status }) => status?.volumeGroupSnapshotHandle === undefined && spec?.source?.volumeHandles)
    .map(({ metadata, spec }): Pending => {
      const volumes = hasMark(metadata, groupSnapshotAnnotation.beingCreated) ? (spec?.source?.volumeHandles ?? []) : [];
      return { object: `VolumeGroupSnapshotContent ${metadata?.name}`, uid: spec?.volumeGroupSnapshotRef?.uid, volumes };
    });
  const pending = [...single, ...groups];
  const byUid = findByUid(pending, ({ uid }) => uid);
  const byVolume = new Map(pending.flatMap((each) => each.volumes.map((volume) => [volume, each])));
  return (id, { sourceVolumeId }) => {
    const found = byUid(id) ?? byVolume.get(sourceVolumeId);
    return found && `may be being taken for ${found.object}`;
  };
}

function hasMark(metadata: KubeObject["metadata"], annotation: string): boolean {
  return Object.keys(metadata?.annotations ?? {}).includes(annotation);
}

function withoutSnapshot(content: V1VolumeSnapshotContent): Difference {
  const { metadata, spec, status } = content;
  const { namespace, name } = spec?.volumeSnapshotRef ?? {};
  const state = status?.readyToUse ? "ready" : "not ready";
  return {
    kind: "content without snapshot",
    volume: spec?.source?.volumeHandle ?? "",
    snapshot: handleOf(content) ?? "",
    object: `VolumeSnapshotContent ${metadata?.name}`,
    ...(status?.restoreSize && { size: formatBytes(BigInt(status.restoreSize)) }),
    ...(metadata?.creationTimestamp && { since: metadata.creationTimestamp }),
    note: `${state}, snapshot ${namespace}/${name}${metadata?.deletionTimestamp ? ", being deleted" : ""}`,
  };
}

function withoutMember({ metadata, spec, status }: V1VolumeGroupSnapshotContent, snapshot: string): Difference {
  const { namespace, name } = spec?.volumeGroupSnapshotRef ?? {};
  return {
    kind: "content without snapshot",
    volume: status?.volumeSnapshotInfoList?.find(({ snapshotHandle }) => snapshotHandle === snapshot)?.volumeHandle ?? "",
    snapshot,
    object: `VolumeGroupSnapshotContent ${metadata?.name}`,
    ...(metadata?.creationTimestamp && { since: metadata.creationTimestamp }),
    note: `group snapshot ${namespace}/${name}${metadata?.deletionTimestamp ? ", being deleted" : ""}`,
  };
}
