import { messageOf } from "@csi-sidecars/base";
import {
  apiCallOptions,
  done,
  finalizersPatch,
  patchNewest,
  type ReconcileResult,
  requeueAfter,
  retry,
  statusPatch,
} from "@csi-sidecars/controller";
import { isAbort, isConflict, keyOf } from "@csi-sidecars/kube";
import { considerClaim } from "../claim/consider-claim.ts";
import { bindContent } from "../content/bind-content.ts";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Content, Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import { addFinalizers, deletionNext } from "./add-finalizers.ts";
import { joinGroup } from "./join-group.ts";
import { lookupsOf } from "./lookups.ts";
import { planSnapshot, type SyncPlan } from "./plan-snapshot.ts";
import type { StatusChanges } from "./snapshot-status.ts";
import { newContentKey } from "./take-snapshot.ts";

/** Binds a snapshot and its content to each other, and copies what the driver has said about the content into the status of the snapshot. */
export async function syncSnapshot(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  plan: SyncPlan,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  // Without its finalizers, a snapshot that is deleted while it is bound would leave a content that nobody lets go.
  const held = await addFinalizers(c, snapshot, (newest) => finalizersPatch(newest, { add: plan.finalizers }), signal);
  if (!held) return retry;
  if (held.metadata.deletionTimestamp !== undefined) return deletionNext(c, held);
  const content = plan.bind ? await bindContent(c, held, plan.content, plan.bind, signal) : plan.content;
  // Bound or deleted by somebody else meanwhile: the watch brings the snapshot back.
  if (!content) return done;
  if (plan.bind) c.firstLooks.begin(newContentKey(snapshot));
  const waitMs = untilStatusIsDue(c, snapshot, content);
  if (waitMs > 0) return requeueAfter(waitMs);
  c.firstLooks.forget(newContentKey(snapshot));
  const updated = plan.status ? await updateStatus(c, held, content, signal) : held;
  if (!updated) return done;
  considerClaim(c, updated, updated.status?.readyToUse !== true);
  // If the watch showed a change by somebody else together with our own writes, nothing else would tell.
  if (updated !== snapshot || plan.bind) c.snapshotLoop.enqueue(keyOf(snapshot));
  return joinGroup(c, updated, signal);
}

/** A driver that is fast needs no status before it has answered. */
function untilStatusIsDue(c: SnapshotControllerContext, snapshot: Snapshot, { status }: Content): number {
  return status === undefined && c.firstLooks.has(newContentKey(snapshot)) ? c.firstLooks.remainingMs(newContentKey(snapshot)) : 0;
}

/** Writes what the status lacks. The metrics and events are first: a write whose answer is lost is not repeated, and neither would they be. */
async function updateStatus(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  content: Content,
  signal: AbortSignal,
): Promise<Snapshot | undefined> {
  const changesOf = (newest: Snapshot): StatusChanges | undefined => {
    const plan = planSnapshot(newest, lookupsOf(c));
    return plan.step === "sync" && plan.content.metadata.uid === content.metadata.uid ? plan.status : undefined;
  };
  const changes = changesOf(snapshot);
  if (!changes) return snapshot;
  announce(c, snapshot, content, changes);
  try {
    return await patchNewest(
      c.snapshotTarget,
      snapshot,
      (newest) => {
        const wanted = changesOf(newest);
        return wanted && statusPatch<StatusChanges>(newest, wanted);
      },
      { ...apiCallOptions(signal), subresource: "status" },
    );
  } catch (error) {
    // Not in the status: it may have been written although the answer was lost.
    if (!isAbort(error) && !isConflict(error)) {
      c.snapshotEvents.warning(snapshot, eventReasons.statusUpdateFailed.reason, messages.statusUpdateFailed(messageOf(error)));
    }
    throw error;
  }
}

function announce(
  { metrics, snapshotEvents }: SnapshotControllerContext,
  snapshot: Snapshot,
  { spec }: Content,
  changes: StatusChanges,
): void {
  const { uid } = snapshot.metadata;
  if (changes.creationTime !== undefined) {
    metrics.succeed("CreateSnapshot", uid, spec?.driver);
    snapshotEvents.normal(snapshot, eventReasons.created.reason, messages.created(keyOf(snapshot)));
  }
  if (changes.readyToUse) {
    metrics.succeed("CreateSnapshotAndReady", uid, spec?.driver);
    snapshotEvents.normal(snapshot, eventReasons.ready.reason, messages.ready(keyOf(snapshot)));
  }
}
