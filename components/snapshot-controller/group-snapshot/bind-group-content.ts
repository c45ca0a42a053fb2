import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, patchNewest } from "@csi-sidecars/controller";
import { isAbort, isConflict, mergePatch, type Patch } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot } from "../fields.ts";
import type { GroupContext } from "./group-context.ts";
import { groupEventReasons as reasons } from "./group-event-reasons.ts";
import { groupMessages as messages } from "./group-messages.ts";
import { contentProblem, missingContent } from "./group-problem.ts";
import { failWith } from "./report-group-problem.ts";

/** Binds the content that the user has named to the group snapshot, and gives it the group snapshot's class. */
export async function bindGroupContent(
  c: GroupContext,
  group: GroupSnapshot,
  content: GroupContent,
  signal: AbortSignal,
): Promise<GroupContent> {
  const plan = (newest: GroupContent) => bindingPatch(group, newest);
  const bound = await patchNewest(c.groupContentTarget, content, plan, apiCallOptions(signal)).catch((error: unknown) => {
    if (isAbort(error) || isConflict(error)) throw error;
    const cause = messageOf(error);
    const problem = { reason: reasons.bindFailed.reason, message: messages.bindFailed(cause), notReady: true, error: cause };
    return failWith(c, group, problem, signal);
  });
  if (!bound) return failWith(c, group, missingContent(group), signal);
  // Our own write is not shown to the loop of contents, which adds the finalizer.
  if (bound.metadata.resourceVersion !== content.metadata.resourceVersion) c.groupContentLoop.enqueue(bound.metadata.name);
  return bound;
}

/** `undefined` where it is bound. */
export function bindingPatch(group: GroupSnapshot, content: GroupContent): Patch | undefined {
  const { volumeGroupSnapshotRef: ref, volumeGroupSnapshotClassName: contentClass } = content.spec ?? {};
  if (contentProblem(group, content)) throw new Error(messages.bindMismatch(group.metadata.name, content.metadata.name));
  const className = group.spec?.volumeGroupSnapshotClassName;
  const isBound = Boolean(ref?.uid);
  const spec = {
    ...(!isBound && { volumeGroupSnapshotRef: { uid: group.metadata.uid } }),
    ...(className !== undefined && className !== contentClass && !(isBound && contentClass) && { volumeGroupSnapshotClassName: className }),
  };
  return Object.keys(spec).length === 0 ? undefined : mergePatch({ metadata: { uid: content.metadata.uid }, spec });
}
