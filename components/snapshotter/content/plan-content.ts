import { hasFinalizer } from "@csi-sidecars/controller";
import { snapshotAnnotation as annotation, snapshotFinalizer } from "@csi-sidecars/kube";
import type { Content } from "../fields.ts";

/** What a content asks of us now. */
export type ContentPlan =
  | { readonly step: "none" }
  /** Nobody is creating its snapshot any more. */
  | { readonly step: "unmark" }
  /** Take its snapshot, or ask whether it is ready: that is the same call. */
  | { readonly step: "create" }
  /** Ask whether a snapshot is ready that an administrator has named, or that was taken with a group. */
  | { readonly step: "look up"; readonly snapshotId: string }
  | { readonly step: "delete"; readonly snapshotId: string }
  /** Let the content go: nothing of it is left to delete. */
  | { readonly step: "release" };

/** The plan for a content of our driver. It is made again after every change: it never remembers. */
export function planContent(content: Content): ContentPlan {
  if (isToDelete(content)) return planDeletion(content);
  if (content.status?.readyToUse === true) return { step: isMarked(content) ? "unmark" : "none" };
  const snapshotId = lookedUp(content);
  if (snapshotId !== undefined) return { step: "look up", snapshotId };
  return { step: isCreationWanted(content) ? "create" : "none" };
}

/**
 * Whether a content is ours: it names our driver, and its class, where there is one, does not name another driver. A class of the same name may have
 * taken the place of the one that it was taken with: one that is deleted needs none.
 */
export function isOurs(content: Content, driver: string, snapshotClass: { readonly driver?: string } | undefined): boolean {
  const { spec } = content;
  const hasSource = spec?.source?.volumeHandle !== undefined || spec?.source?.snapshotHandle !== undefined;
  const isClassOurs = snapshotClass === undefined || snapshotClass.driver === driver;
  return hasSource && spec?.driver === driver && (isClassOurs || isGoing(content));
}

/** Whether it says that the driver may be taking its snapshot. */
export function isMarked({ metadata }: Content): boolean {
  return metadata.annotations?.[annotation.beingCreated] !== undefined;
}

/** Whether its VolumeSnapshot is deleted, and what it has is to be deleted too or to be kept without it. */
export function isAbandoned({ metadata }: Content): boolean {
  return metadata.annotations?.[annotation.beingDeleted] !== undefined;
}

/** Whether the driver takes and deletes its snapshot together with those of a group. */
export function isGroupMember({ metadata, status }: Content): boolean {
  return metadata.annotations?.[annotation.groupHandle] !== undefined || status?.volumeGroupSnapshotHandle !== undefined;
}

/**
 * A snapshot that nobody wants any more is not taken. One that may have been taken is asked for until its handle is known. One of a group is
 * never taken alone: the snapshot-controller writes its handle.
 */
function isCreationWanted(content: Content): boolean {
  if (isGroupMember(content)) return false;
  return !isAbandoned(content) || content.status?.snapshotHandle !== undefined || isMarked(content);
}

/** Whether the driver may have taken a snapshot that nobody knows the handle of. */
function isOutcomeUnknown(content: Content): boolean {
  const { spec, status } = content;
  return isMarked(content) && spec?.source?.snapshotHandle === undefined && status?.snapshotHandle === undefined;
}

function isToDelete(content: Content): boolean {
  return isGoing(content) && !isOutcomeUnknown(content);
}

/** Whether it is deleted, and no VolumeSnapshot needs it. */
function isGoing(content: Content): boolean {
  const { metadata, spec } = content;
  const isFree = spec?.source?.snapshotHandle !== undefined && !spec.volumeSnapshotRef?.uid;
  return metadata.deletionTimestamp !== undefined && (isFree || isAbandoned(content));
}

/** A mark that outlived the handle would say, once that is removed, that the driver may have taken another snapshot. */
function planDeletion(content: Content): ContentPlan {
  const isKept = content.spec?.deletionPolicy !== "Delete" || isGroupMember(content);
  const snapshotId = isKept ? undefined : deletedSnapshot(content);
  if (snapshotId !== undefined) return isMarked(content) ? { step: "unmark" } : { step: "delete", snapshotId };
  return { step: hasFinalizer(content, snapshotFinalizer.content) ? "release" : "none" };
}

/**
 * The snapshot to delete: the one that the status names, else the one that an administrator did. A status without handle and without readiness
 * is what a deletion leaves: then there is none any more.
 */
function deletedSnapshot({ spec, status }: Content): string | undefined {
  const isDeleted = status !== undefined && status.readyToUse === undefined;
  return status?.snapshotHandle ?? (isDeleted ? undefined : spec?.source?.snapshotHandle);
}

function lookedUp({ spec, status }: Content): string | undefined {
  if (spec?.source?.snapshotHandle !== undefined) return status?.snapshotHandle ?? spec.source.snapshotHandle;
  return status?.volumeGroupSnapshotHandle === undefined ? undefined : status.snapshotHandle;
}
