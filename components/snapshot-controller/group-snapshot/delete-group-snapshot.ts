import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, done, finalizersPatch, hasFinalizer, patchNewest, type ReconcileResult, retry } from "@csi-sidecars/controller";
import {
  groupSnapshotAnnotation,
  groupSnapshotFinalizer,
  ignoreNotFound,
  isAbort,
  isConflict,
  isNotFound,
  keyOf,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot, Snapshot } from "../fields.ts";
import { findMembers } from "../members/find-members.ts";
import { releasePatch } from "../release-patch.ts";
import { isBeingRestored } from "../restoring-claims.ts";
import { groupContentNameOf, isFreeFor, isGroupContentOf, isPreProvisionedGroup } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";
import { startGroupDeletionMetrics } from "./group-metrics.ts";

/**
 * Deletes what belongs to a group snapshot, and lets it go: at once if the content is retained, otherwise when the driver has deleted the group and
 * the content is gone. The snapshots of the group go when the group snapshot has gone.
 */
export async function deleteGroupSnapshot(c: GroupContext, group: GroupSnapshot, signal: AbortSignal): Promise<ReconcileResult> {
  c.firstLooks.forget(group.metadata.uid);
  const content = await findContent(c, group, signal);
  if (!content && !isPreProvisionedGroup(group)) c.lateContents.expect(group.metadata.uid);
  startGroupDeletionMetrics(c, group, content);
  if (!hasFinalizer(group, groupSnapshotFinalizer.bound)) return done;
  const members = await findMembers(c, group, content, signal);
  const restored = members.find((member) => isBeingRestored(c.caches.claims, keyOf(member)));
  if (restored) {
    const message = messages.memberBeingRestored(keyOf(restored), keyOf(group));
    c.groupEvents.warning(group, reasons.deletePending.reason, message);
    // The end of the restore brings it back.
    return done;
  }
  const isKept = content ? await releaseContent(c, group, content, signal) : false;
  for (const member of members) await deleteMember(c, group, member, signal);
  // Of a content that the watch does not show it shows no end.
  if (isKept) return content && c.groupContents.get(content.metadata.name) ? done : retry;
  const plan = (newest: GroupSnapshot) => finalizersPatch(newest, { remove: [groupSnapshotFinalizer.bound] });
  await patchNewest(c.groupTarget, group, plan, apiCallOptions(signal));
  return done;
}

/**
 * The content, if it is bound to this very group snapshot. The watch may not show that: the answer to its creation, or to its binding, may be lost,
 * with the process even, or a list have left it out. The group snapshot must not go before it, since nothing would ever delete it then.
 */
async function findContent(c: GroupContext, group: GroupSnapshot, signal: AbortSignal): Promise<GroupContent | undefined> {
  const name = group.status?.boundVolumeGroupSnapshotContentName || groupContentNameOf(group);
  let content = c.groupContents.get(name);
  const isInDoubt = content ? isPreProvisionedGroup(group) && isFreeFor(content, group) : !c.releasedGroups.has(group.metadata.uid);
  if (isInDoubt && hasFinalizer(group, groupSnapshotFinalizer.bound)) {
    const read = await ignoreNotFound(c.kube.get(VolumeGroupSnapshotContent, { name }, apiCallOptions(signal)));
    content = read && c.groupContentTarget.project(read);
  }
  return content && isGroupContentOf(content, group) ? content : undefined;
}

/** Tells the sidecar that the group snapshot is deleted, and deletes the content unless it is retained. Returns whether its end is to be waited for. */
async function releaseContent(c: GroupContext, group: GroupSnapshot, content: GroupContent, signal: AbortSignal): Promise<boolean> {
  const patch = (newest: GroupContent) => releasePatch(newest, groupSnapshotAnnotation.beingDeleted, groupSnapshotFinalizer.content);
  const marked = await patchNewest(c.groupContentTarget, content, patch, apiCallOptions(signal));
  if (marked?.spec?.deletionPolicy !== "Delete") return false;
  if (marked.metadata.deletionTimestamp !== undefined) return true;
  const { name, uid } = marked.metadata;
  try {
    await c.kube.delete(VolumeGroupSnapshotContent, { name }, { ...apiCallOptions(signal), preconditions: { uid } });
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    if (!isAbort(error)) c.groupEvents.warning(group, reasons.contentNotDeleted.reason, messages.contentNotDeleted());
    throw error;
  }
}

async function deleteMember(c: GroupContext, group: GroupSnapshot, { metadata }: Snapshot, signal: AbortSignal): Promise<void> {
  if (metadata.deletionTimestamp !== undefined) return;
  const { name, namespace, uid } = metadata;
  try {
    await c.kube.delete(VolumeSnapshot, { name, namespace }, { ...apiCallOptions(signal), preconditions: { uid } });
  } catch (error) {
    if (isGone(error)) return;
    const message = messages.memberNotDeleted(`${namespace}/${name}`, keyOf(group), messageOf(error));
    if (!isAbort(error)) c.groupEvents.warning(group, reasons.memberNotDeleted.reason, message);
    throw error;
  }
}

/** Whether the object that was to be deleted is gone; another one may have its name. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || isConflict(error);
}
