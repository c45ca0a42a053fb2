import { messageOf } from "@csi-sidecars/base";
import { annotationsPatch, apiCallOptions, finalizersPatch, holdingPatch, patchNewest, statusPatch } from "@csi-sidecars/controller";
import { groupSnapshotAnnotation as annotation, groupSnapshotFinalizer, type Patch } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import { messages } from "../messages.ts";
import type { GroupContentContext } from "./group-content-context.ts";
import { clearedStatus, statusChanges } from "./group-status.ts";
import type { TakenGroup } from "./taken-group.ts";

// All of them return the content as it is then; `undefined` if it is gone. Errors have upstream's words in front of them.
type Write = Promise<GroupContent | undefined>;

/**
 * Notes that the driver may be taking the group snapshot, and has the content wait for us when it is deleted: that must be stored before the driver is
 * asked to. Upstream's snapshot-controller adds the finalizer some time after it has created the content.
 */
export function mark(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Write {
  return write(c, content, (newest) => holdingPatch(newest, groupSnapshotFinalizer.content, { [annotation.beingCreated]: "yes" }), signal);
}

/** Notes that the driver is not taking it any more. */
export function unmark(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Write {
  return write(c, content, (newest) => annotationsPatch(newest, { [annotation.beingCreated]: null }), signal);
}

/** Writes what the driver said of the group snapshot into the status. */
export function writeGroup(c: GroupContentContext, content: GroupContent, group: TakenGroup, signal: AbortSignal): Write {
  return write(c, content, (newest) => statusPatch(newest, statusChanges(newest, group, c.clock.now())), signal, "status");
}

/** Writes into the status that the group snapshot is deleted. */
export function clearStatus(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Write {
  return write(c, content, (newest) => statusPatch(newest, clearedStatus), signal, "status");
}

/** Lets the content go. */
export function release(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Write {
  return write(c, content, (newest) => finalizersPatch(newest, { remove: [groupSnapshotFinalizer.content] }), signal);
}

async function write(
  { target }: GroupContentContext,
  content: GroupContent,
  plan: (newest: GroupContent) => Patch | undefined,
  signal: AbortSignal,
  subresource?: "status",
): Write {
  const options = { ...apiCallOptions(signal), ...(subresource && { subresource }) };
  return patchNewest(target, content, plan, options).catch((error: unknown) => {
    throw new Error(messages.writeFailed(content.metadata.name, messageOf(error)), { cause: error });
  });
}
