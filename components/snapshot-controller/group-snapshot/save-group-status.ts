import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { isAbort, keyOf } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { isPreProvisionedGroup } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";
import { type GroupStatusChanges, groupStatusChanges } from "./group-status.ts";
import { reportGroupProblem } from "./report-group-problem.ts";

/** Writes what the content says into the status of its group snapshot, and tells of a group that is taken or ready now. */
export async function saveGroupStatus(c: GroupContext, group: GroupSnapshot, content: GroupContent, signal: AbortSignal): Promise<void> {
  let changes: GroupStatusChanges | undefined;
  const plan = (newest: GroupSnapshot) => {
    changes = groupStatusChanges(newest, content);
    return changes && statusPatch(newest, changes);
  };
  try {
    if (!(await patchNewest(c.groupTarget, group, plan, { ...apiCallOptions(signal), subresource: "status" }))) return;
  } catch (error) {
    if (!isAbort(error)) await reportFailure(c, group, error, signal);
    throw error;
  }
  if (changes) tell(c, group, changes, content.spec?.driver);
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

/** The event is what matters: the status that cannot be written may not take the error either. */
async function reportFailure(c: GroupContext, group: GroupSnapshot, error: unknown, signal: AbortSignal): Promise<void> {
  const problem = {
    reason: reasons.statusUpdateFailed.reason,
    message: messages.statusUpdateFailed(messageOf(error)),
    notReady: !isPreProvisionedGroup(group),
  };
  await reportGroupProblem(c, group, problem, signal).catch(() => undefined);
}
