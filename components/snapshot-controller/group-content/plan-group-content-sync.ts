import { hasFinalizer } from "@csi-sidecars/controller";
import { groupSnapshotFinalizer } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { isGroupContentOf, isGroupReadyAndBound } from "../group-snapshot/group-binding.ts";
import { type LateContents, lateness } from "../late-contents.ts";

/** What a change of a content asks for. */
export interface GroupContentSync {
  /** It does not say of what it is the content. */
  readonly isInvalid: boolean;
  readonly needsFinalizer: boolean;
  /** Whether its group snapshot has something to do. */
  readonly concernsGroup: boolean;
  /** Whether its group snapshot went before it. */
  readonly lateness: ReturnType<typeof lateness>;
}

/**
 * `group` is what has the name of its group snapshot. That a group snapshot is missing is no reason to delete a content: it may be restored from a
 * backup.
 */
export function planGroupContentSync(
  content: GroupContent,
  group: GroupSnapshot | undefined,
  late: Pick<LateContents, "isExpected" | "isSpared">,
): GroupContentSync {
  const { source, volumeGroupSnapshotRef: ref } = content.spec ?? {};
  const isInvalid = (source?.groupSnapshotHandles !== undefined) === (source?.volumeHandles ?? []).length > 0;
  const isDeleted = content.metadata.deletionTimestamp !== undefined;
  const ownerUid = isInvalid ? undefined : creatorOf(content);
  return {
    isInvalid,
    needsFinalizer: !isInvalid && Boolean(ref?.uid) && !isDeleted && !hasFinalizer(content, groupSnapshotFinalizer.content),
    concernsGroup: !isInvalid && group !== undefined && concerns(content, group),
    lateness: lateness({ ...content, ownerUid, hasOwner: group?.metadata.uid === ownerUid }, late),
  };
}

/** The uid of the group snapshot that the controller created a content for. */
function creatorOf({ metadata, spec }: GroupContent): string | undefined {
  const uid = spec?.volumeGroupSnapshotRef?.uid ?? "";
  return spec?.source?.volumeHandles !== undefined && metadata.name === `groupsnapcontent-${uid}` ? uid : undefined;
}

/** A group snapshot that is ready needs nothing more of its content. One that is free is waited for by the group snapshot that names it. */
function concerns(content: GroupContent, group: GroupSnapshot): boolean {
  if (group.metadata.deletionTimestamp !== undefined || isGroupReadyAndBound(group)) return false;
  return isGroupContentOf(content, group) || !content.spec?.volumeGroupSnapshotRef?.uid;
}
