import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, patchNewest, type ReconcileResult, requeueAfter, retry } from "@csi-sidecars/controller";
import { isAbort, isConflict, keyOf, type Patch } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";

/**
 * Adds the finalizers of a snapshot, and what is written with them, unless it is being deleted: then none can be added. Users are told where that
 * fails. `undefined` if it is gone.
 */
export async function addFinalizers(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  plan: (newest: Snapshot) => Patch | undefined,
  signal: AbortSignal,
): Promise<Snapshot | undefined> {
  try {
    const unlessDeleted = (newest: Snapshot) => (newest.metadata.deletionTimestamp === undefined ? plan(newest) : undefined);
    return await patchNewest(c.snapshotTarget, snapshot, unlessDeleted, apiCallOptions(signal));
  } catch (error) {
    if (!isAbort(error) && !isConflict(error)) {
      c.snapshotEvents.warning(snapshot, eventReasons.finalizersFailed.reason, messages.finalizersFailed(messageOf(error)));
    }
    throw error;
  }
}

/** What is next for a snapshot that is being deleted by now: its deletion, at once if the cache shows that too. */
export function deletionNext({ snapshots }: Pick<SnapshotControllerContext, "snapshots">, snapshot: Snapshot): ReconcileResult {
  return snapshots.get(keyOf(snapshot))?.metadata.deletionTimestamp === undefined ? retry : requeueAfter(0);
}
