import type { Result } from "@csi-sidecars/base";
import type { CreateVolumeGroupSnapshotResponse, GetVolumeGroupSnapshotResponse, Snapshot, Timestamp } from "@csi-sidecars/csi";
import type { VolumeSnapshotInfo } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import { nanosecondsOf } from "../snapshot-time.ts";
import { groupMessages } from "./group-messages.ts";
import { isAbandoned } from "./plan-group-content.ts";

/** A group snapshot as the driver describes it. */
export interface TakenGroup {
  readonly handle: string;
  readonly readyToUse: boolean;
  readonly creationTime: Timestamp | undefined;
  /** As the status lists them, in the order of the answer; none of a group snapshot that an administrator has named. */
  readonly members: readonly VolumeSnapshotInfo[];
}

/**
 * What CreateVolumeGroupSnapshot answered for a content: one snapshot of each of its volumes, or what is wrong with the answer. What nobody wants
 * any more is only to be deleted: it need not be what was asked for.
 */
export function takenGroup(content: GroupContent, { groupSnapshot }: CreateVolumeGroupSnapshotResponse): Result<TakenGroup> {
  const group = describedGroup(groupSnapshot, content.status?.volumeGroupSnapshotHandle);
  if (group.error !== undefined) return group;
  const snapshots = groupSnapshot?.snapshots ?? [];
  if (isAbandoned(content)) {
    return { value: { ...group.value, members: snapshots.filter(({ snapshotId }) => snapshotId !== "").map(snapshotInfo) } };
  }
  const problem = membersProblem(snapshots, content.spec?.source?.volumeHandles ?? []);
  return problem === undefined ? { value: { ...group.value, members: snapshots.map(snapshotInfo) } } : { error: problem };
}

/** What GetVolumeGroupSnapshot answered for the group snapshot with this handle, which an administrator has named. */
export function foundGroup(named: string, { groupSnapshot }: GetVolumeGroupSnapshotResponse): Result<TakenGroup> {
  return describedGroup(groupSnapshot, named);
}

function describedGroup(group: CreateVolumeGroupSnapshotResponse["groupSnapshot"], known: string | undefined): Result<TakenGroup> {
  if (!group) return { error: groupMessages.answeredWithoutGroup() };
  const { groupSnapshotId: handle, readyToUse, creationTime } = group;
  if (handle === "") return { error: groupMessages.answeredWithoutId() };
  if (known !== undefined && handle !== known) return { error: groupMessages.answeredOtherGroup(handle, known) };
  return { value: { handle, readyToUse, creationTime, members: [] } };
}

function membersProblem(snapshots: readonly Snapshot[], volumes: readonly string[]): string | undefined {
  const seenVolumes = new Set<string>();
  const seenSnapshots = new Set<string>();
  for (const { snapshotId, sourceVolumeId } of snapshots) {
    if (!volumes.includes(sourceVolumeId)) return groupMessages.answeredOtherVolume(snapshotId, sourceVolumeId);
    if (snapshotId === "") return groupMessages.answeredWithoutSnapshotId(sourceVolumeId);
    if (seenVolumes.has(sourceVolumeId)) return groupMessages.answeredVolumeTwice(sourceVolumeId);
    if (seenSnapshots.has(snapshotId)) return groupMessages.answeredSnapshotTwice(snapshotId);
    seenVolumes.add(sourceVolumeId);
    seenSnapshots.add(snapshotId);
  }
  const missing = volumes.find((volume) => !seenVolumes.has(volume));
  return missing === undefined ? undefined : groupMessages.answeredWithoutVolume(missing);
}

/** An entry of `volumeSnapshotInfoList`. What the driver did not say stays absent. */
function snapshotInfo({ snapshotId, sourceVolumeId, creationTime, readyToUse, sizeBytes }: Snapshot): VolumeSnapshotInfo {
  const nanoseconds = nanosecondsOf(creationTime);
  return {
    volumeHandle: sourceVolumeId,
    snapshotHandle: snapshotId,
    ...(nanoseconds !== undefined && { creationTime: nanoseconds }),
    readyToUse,
    ...(sizeBytes > 0n && { restoreSize: sizeBytes }),
  };
}
