import type { V1VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { metav1Time } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import { nanosecondsOf } from "../snapshot-time.ts";
import type { TakenGroup } from "./taken-group.ts";

type GroupStatus = NonNullable<V1VolumeGroupSnapshotContent["status"]>;

/** Fields of the status that change; those that are `undefined` go. */
export type GroupStatusChanges = { readonly [K in keyof GroupStatus]?: GroupStatus[K] | undefined };

/**
 * What changes in the status of a content when the driver has described its group snapshot. What is known already is never overwritten, but
 * for readiness; an error is over. A list without a handle is of a group snapshot that was deleted.
 */
export function statusChanges({ status = {} }: GroupContent, group: TakenGroup, now: number): GroupStatusChanges {
  const isNew = status.volumeGroupSnapshotHandle === undefined;
  const lacksList = isNew || (status.volumeSnapshotInfoList ?? []).length === 0;
  return {
    ...(isNew && { volumeGroupSnapshotHandle: group.handle }),
    ...(status.readyToUse !== group.readyToUse && { readyToUse: group.readyToUse }),
    ...(status.creationTime === undefined && { creationTime: creationTime(group, now) }),
    ...(lacksList && group.members.length > 0 && { volumeSnapshotInfoList: [...group.members] }),
    ...(status.error && { error: undefined }),
  };
}

/** In whole seconds; now where the driver did not say. */
function creationTime({ creationTime: taken }: TakenGroup, now: number): string {
  const nanoseconds = nanosecondsOf(taken);
  return metav1Time(nanoseconds === undefined || nanoseconds <= 0n ? now : Number(nanoseconds / 1_000_000n));
}

/** What is left of the status when the group snapshot is deleted: the list of what was in it. */
export const clearedStatus: GroupStatusChanges = {
  volumeGroupSnapshotHandle: undefined,
  readyToUse: undefined,
  creationTime: undefined,
  error: undefined,
};
