import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, done, finalizersPatch, hasFinalizer, patchNewest, type ReconcileResult, retry } from "@csi-sidecars/controller";
import {
  ignoreNotFound,
  isAbort,
  isConflict,
  isNotFound,
  keyOf,
  snapshotAnnotation,
  snapshotFinalizer,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Content, Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import { releasePatch } from "../release-patch.ts";
import { claimKeyOf, contentNameOf, isBoundTo, isFreeFor, isPreProvisioned } from "./binding.ts";
import { deletionLookupsOf } from "./lookups.ts";
import { operationLabels } from "./operation-labels.ts";
import { planDeletion, removedFinalizers } from "./plan-deletion.ts";

/** Lets a snapshot go that its user has deleted, and its content with it if that is its policy. */
export async function deleteSnapshot(c: SnapshotControllerContext, snapshot: Snapshot, signal: AbortSignal): Promise<ReconcileResult> {
  const plan = planDeletion(snapshot, deletionLookupsOf(c, snapshot));
  if (plan.step === "none") return done;
  c.metrics.start("DeleteSnapshot", snapshot.metadata.uid, operationLabels(c, snapshot));
  if (plan.step === "groupUnknown" && c.groupsUnknown !== "disabled") return retry;
  if (plan.step === "waitForGroup") return done;
  if (plan.step !== "delete") {
    c.snapshotEvents.warning(snapshot, eventReasons.deletePending.reason, plan.message);
    // The end of the restore or of the group brings it back.
    return done;
  }
  const { content } = plan;
  if (!content && (await mayHaveContent(c, snapshot, signal))) return retry;
  const isAwaited = content ? await releaseContent(c, snapshot, content, signal) : false;
  c.protectedClaims.taking.delete(snapshot.metadata.uid);
  const patch = (newest: Snapshot) => finalizersPatch(newest, { remove: removedFinalizers(isAwaited) });
  if (!content && !isPreProvisioned(snapshot)) c.lateContents.expect(snapshot.metadata.uid);
  await patchNewest(c.snapshotTarget, snapshot, patch, apiCallOptions(signal));
  const claim = claimKeyOf(snapshot);
  if (claim !== undefined) c.claimLoop.enqueue(claim);
  return done;
}

/**
 * Tells csi-snapshotter that the snapshot is deleted, and deletes the content if it is to go too. That is for the server's answer to say: its owner
 * may have changed the policy just now, and the watch may not show that yet. Returns whether its end is to be waited for.
 */
async function releaseContent(c: SnapshotControllerContext, snapshot: Snapshot, content: Content, signal: AbortSignal): Promise<boolean> {
  const patch = (newest: Content) =>
    isBoundTo(newest, snapshot) ? releasePatch(newest, snapshotAnnotation.beingDeleted, snapshotFinalizer.content) : undefined;
  const marked = await patchNewest(c.contentTarget, content, patch, apiCallOptions(signal));
  if (marked?.spec?.deletionPolicy !== "Delete" || !isBoundTo(marked, snapshot)) return false;
  if (marked.metadata.deletionTimestamp !== undefined) return true;
  const { name, uid } = marked.metadata;
  try {
    await c.kube.delete(VolumeSnapshotContent, { name }, { ...apiCallOptions(signal), preconditions: { uid } });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (!isAbort(error) && !isConflict(error)) {
      c.snapshotEvents.warning(snapshot, eventReasons.contentNotDeleted.reason, messages.contentNotDeleted());
      c.log.error(error, "The content could not be deleted", { content: name, snapshot: keyOf(snapshot), cause: messageOf(error) });
    }
    throw error;
  }
}

/**
 * Whether the snapshot has a content that the watch does not show to be its own: the answer to its creation, or to its binding, may be lost, with
 * the process even, or a list have left it out. The snapshot must not go before it, since nothing would ever delete it then. Once the content is
 * released there is no doubt: the watch has shown it.
 */
async function mayHaveContent(c: SnapshotControllerContext, snapshot: Snapshot, signal: AbortSignal): Promise<boolean> {
  const isReleased = !removedFinalizers(true).some((finalizer) => hasFinalizer(snapshot, finalizer));
  const name = snapshot.status?.boundVolumeSnapshotContentName || contentNameOf(snapshot);
  if (isReleased || !name) return false;
  const shown = c.contents.get(name);
  if (shown && !(isPreProvisioned(snapshot) && isFreeFor(shown, snapshot))) return false;
  const found = await ignoreNotFound(c.kube.get(VolumeSnapshotContent, { name }, apiCallOptions(signal)));
  return found !== undefined && isBoundTo(c.contentTarget.project(found), snapshot);
}
