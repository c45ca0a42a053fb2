import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, patchNewest } from "@csi-sidecars/controller";
import { isAbort, isConflict, type Patch } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";

/** Writes the finalizers of a snapshot, and what is written with them; users are told where that fails. `undefined` if it is gone. */
export async function patchFinalizers(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  plan: (newest: Snapshot) => Patch | undefined,
  signal: AbortSignal,
): Promise<Snapshot | undefined> {
  try {
    return await patchNewest(c.snapshotTarget, snapshot, plan, apiCallOptions(signal));
  } catch (error) {
    if (!isAbort(error) && !isConflict(error)) {
      c.snapshotEvents.warning(snapshot, eventReasons.finalizersFailed.reason, messages.finalizersFailed(messageOf(error)));
    }
    throw error;
  }
}
