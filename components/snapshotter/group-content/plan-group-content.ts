import { hasFinalizer } from "@csi-sidecars/controller";
import { groupSnapshotAnnotation as annotation, groupSnapshotFinalizer } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";

/** What a content asks of us now. */
export type GroupContentPlan =
  | { readonly step: "none" }
  /** Nobody is creating its group snapshot any more. */
  | { readonly step: "unmark" }
  /** Take its group snapshot, or ask whether it is ready: that is the same call. */
  | { readonly step: "create" }
  /** Ask whether the group snapshot is ready that an administrator has named. */
  | { readonly step: "check" }
  | { readonly step: "delete"; readonly group: NamedGroup }
  /** Let the content go: nothing of it is left to delete. */
  | { readonly step: "release" };

/** A group snapshot as the driver knows it. */
export interface NamedGroup {
  readonly groupSnapshotId: string;
  readonly snapshotIds: readonly string[];
}

/** The plan for a content of our driver. It is made again after every change: it never remembers. */
export function planGroupContent(content: GroupContent): GroupContentPlan {
  if (isToDelete(content)) return planDeletion(content);
  if (content.status?.readyToUse === true) return { step: isMarked(content) ? "unmark" : "none" };
  if (isPreProvisioned(content)) return { step: "check" };
  // What may have been taken is asked for until its handle is known.
  return { step: isAbandoned(content) && !isMarked(content) ? "none" : "create" };
}

/**
 * Whether a content is ours: it names our driver, and its class, where there is one, does not name another driver. A class of the same name may have
 * taken the place of the one that it was taken with: one that is deleted needs none.
 */
export function isOurs(content: GroupContent, driver: string, groupClass: { readonly driver?: string } | undefined): boolean {
  const { spec } = content;
  const hasSource = spec?.source?.groupSnapshotHandles !== undefined || (spec?.source?.volumeHandles ?? []).length > 0;
  const isClassOurs = groupClass === undefined || groupClass.driver === driver;
  return hasSource && spec?.driver === driver && (isClassOurs || isGoing(content));
}

export function isPreProvisioned({ spec }: GroupContent): boolean {
  return spec?.source?.groupSnapshotHandles !== undefined;
}

/** Whether it says that the driver may be taking its group snapshot. */
export function isMarked({ metadata }: GroupContent): boolean {
  return metadata.annotations?.[annotation.beingCreated] !== undefined;
}

/** Whether the driver may have taken a group snapshot that nobody knows the handle of. */
function isOutcomeUnknown(content: GroupContent): boolean {
  return isMarked(content) && !isPreProvisioned(content) && content.status?.volumeGroupSnapshotHandle === undefined;
}

/** Whether nobody wants its group snapshot any more, as far as that is not taken. */
export function isAbandoned({ metadata, status }: GroupContent): boolean {
  return metadata.annotations?.[annotation.beingDeleted] !== undefined && status?.volumeGroupSnapshotHandle === undefined;
}

function isToDelete(content: GroupContent): boolean {
  return isGoing(content) && !isOutcomeUnknown(content);
}

/** Whether it is deleted, and no group snapshot needs it. */
function isGoing(content: GroupContent): boolean {
  const { metadata, spec } = content;
  const isFree = isPreProvisioned(content) && !spec?.volumeGroupSnapshotRef?.uid;
  return metadata.deletionTimestamp !== undefined && (isFree || metadata.annotations?.[annotation.beingDeleted] !== undefined);
}

/** A mark that outlived the handle would say, once that is removed, that the driver may have taken another group snapshot. */
function planDeletion(content: GroupContent): GroupContentPlan {
  const group = content.spec?.deletionPolicy === "Delete" ? groupOf(content) : undefined;
  if (group) return isMarked(content) ? { step: "unmark" } : { step: "delete", group };
  return { step: isHeld(content) ? "release" : "none" };
}

/** Whether it waits for us to let it go. */
function isHeld(content: GroupContent): boolean {
  return hasFinalizer(content, groupSnapshotFinalizer.content);
}

/**
 * The group snapshot of a content, as its status names it, else as an administrator did. A status without handle and without readiness is
 * what a deletion leaves: then there is none any more. Neither is there one of a content that we have let go.
 */
function groupOf(content: GroupContent): NamedGroup | undefined {
  const { spec, status } = content;
  const named = spec?.source?.groupSnapshotHandles;
  const isDeleted = !isHeld(content) || (status !== undefined && status.readyToUse === undefined);
  const groupSnapshotId = status?.volumeGroupSnapshotHandle ?? (isDeleted ? undefined : named?.volumeGroupSnapshotHandle);
  if (groupSnapshotId === undefined) return undefined;
  const members = (status?.volumeSnapshotInfoList ?? []).flatMap(({ snapshotHandle }) => snapshotHandle ?? []);
  return { groupSnapshotId, snapshotIds: members.length > 0 ? members : (named?.volumeSnapshotHandles ?? []) };
}

/** The group snapshot that an administrator has named, to be asked for. */
export function checkedGroup({ spec, status }: GroupContent): NamedGroup {
  const named = spec?.source?.groupSnapshotHandles;
  const groupSnapshotId = status?.volumeGroupSnapshotHandle ?? named?.volumeGroupSnapshotHandle ?? "";
  return { groupSnapshotId, snapshotIds: named?.volumeSnapshotHandles ?? [] };
}
