import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { isAbort, isConflict, keyOf } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { isGroupReadyAndBound } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";
import { type GroupStatusChanges, groupStatusChanges } from "./group-status.ts";

/**
 * Writes what the content says into the status of its group snapshot, and tells of a group that is taken or ready now. It is told first: a write
 * whose answer is lost is not repeated, and neither would that be.
 */
export async function saveGroupStatus(c: GroupContext, group: GroupSnapshot, content: GroupContent, signal: AbortSignal): Promise<void> {
  // One that is ready by now stays so, whatever an older state of its content says.
  const changesOf = (newest: GroupSnapshot) => (isGroupReadyAndBound(newest) ? undefined : groupStatusChanges(newest, content));
  const changes = changesOf(group);
  if (!changes) return;
  tell(c, group, changes, content.spec?.driver);
  const plan = (newest: GroupSnapshot) => {
    const wanted = changesOf(newest);
    return wanted && statusPatch(newest, wanted);
  };
  try {
    await patchNewest(c.groupTarget, group, plan, { ...apiCallOptions(signal), subresource: "status" });
  } catch (error) {
    // Not in the status: it may have been written although the answer was lost.
    if (!isAbort(error) && !isConflict(error)) {
      c.groupEvents.warning(group, reasons.statusUpdateFailed.reason, messages.statusUpdateFailed(messageOf(error)));
    }
    throw error;
  }
}

function tell(c: GroupContext, group: GroupSnapshot, changes: GroupStatusChanges, driver: string | undefined): void {
  const key = keyOf(group);
  const { uid } = group.metadata;
  if (changes.creationTime !== undefined) {
    c.metrics.succeed("CreateGroupSnapshot", uid, driver);
    c.groupEvents.normal(group, reasons.created.reason, messages.created(key));
  }
  if (changes.readyToUse) {
    c.metrics.succeed("CreateGroupSnapshotAndReady", uid, driver);
    c.groupEvents.normal(group, reasons.ready.reason, messages.ready(key));
  }
}
