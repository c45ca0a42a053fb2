import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions } from "@csi-sidecars/controller";
import { isAbort, keyOf, VolumeGroupSnapshotContent } from "@csi-sidecars/kube";
import { createOrRead } from "../create-or-read.ts";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import { groupContentNameOf } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";
import { contentProblem } from "./group-problem.ts";
import type { GroupContentPlan } from "./plan-group-content.ts";
import { failWith } from "./report-group-problem.ts";

type CreatePlan = Extract<GroupContentPlan, { readonly step: "create" }>;

/** Creates the content that asks the driver to take the group snapshot; or finds the one that an earlier attempt has created. */
export async function createGroupContent(
  c: GroupContext,
  group: GroupSnapshot,
  plan: CreatePlan,
  signal: AbortSignal,
): Promise<GroupContent> {
  const key = keyOf(group);
  const content = await save(c, group, plan, signal);
  const problem = contentProblem(group, content);
  if (problem) return failWith(c, group, problem, signal);
  c.groupEvents.normal(group, reasons.creating.reason, messages.creating(key));
  if (plan.lacksNode) c.groupEvents.warning(group, reasons.noNode.reason, messages.noNode(plan.lacksNode.join(", ")));
  return content;
}

async function save(c: GroupContext, group: GroupSnapshot, { content }: CreatePlan, signal: AbortSignal): Promise<GroupContent> {
  const name = groupContentNameOf(group);
  const send = () => createOrRead(c.kube, VolumeGroupSnapshotContent, content, apiCallOptions(signal));
  try {
    return await c.groupContents.create(name, send);
  } catch (error) {
    if (isAbort(error)) throw error;
    const [key, cause] = [keyOf(group), messageOf(error)];
    const failure = messages.updateFailed(key, cause);
    const problem = {
      ...{ reason: reasons.contentCreationFailed.reason, message: messages.contentCreationFailed(failure), notReady: true, error: failure },
      warning: { reason: reasons.postFailed.reason, message: messages.postFailed(key, cause) },
    };
    return failWith(c, group, problem, signal);
  }
}
