import {
  annotationsPatch,
  apiCallOptions,
  done,
  finalizersPatch,
  hasFinalizer,
  patchNewest,
  type Reconcile,
} from "@csi-sidecars/controller";
import { ignoreNotFound, snapshotAnnotation, snapshotFinalizer, VolumeSnapshotContent } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import type { LateContents } from "./late-contents.ts";

/** What a content asks for that is not a matter of its snapshot. */
export type ContentPlan = "none" | "invalid" | "addFinalizer" | "deleteLate";

export function planContent(content: Content, late: Pick<LateContents, "isLate">): ContentPlan {
  if (late.isLate(content)) {
    return content.spec?.deletionPolicy === "Delete" && content.metadata.deletionTimestamp === undefined ? "deleteLate" : "none";
  }
  const { source, volumeSnapshotRef: ref } = content.spec ?? {};
  if ((source?.volumeHandle === undefined) === (source?.snapshotHandle === undefined)) return "invalid";
  const isBound = (ref?.uid ?? "") !== "";
  const lacksFinalizer = content.metadata.deletionTimestamp === undefined && !hasFinalizer(content, snapshotFinalizer.content);
  return isBound && lacksFinalizer ? "addFinalizer" : "none";
}

/**
 * Protects a content that was bound without us: by its user, who has written the uid of the snapshot, or by another controller. What the snapshot
 * has to do with its content is done by the snapshot's own loop.
 */
export const reconcileContent =
  (c: SnapshotControllerContext): Reconcile =>
  async (name, signal) => {
    const content = c.contents.get(name);
    const plan = content ? planContent(content, c.lateContents) : "none";
    if (!content || plan === "none") return done;
    if (plan === "invalid") {
      c.contentEvents.warning(content, eventReasons.contentInvalid.reason, messages.notOneHandle());
      return done;
    }
    if (plan === "deleteLate") {
      await deleteLate(c, content, signal);
      return done;
    }
    const patch = (newest: Content) =>
      planContent(newest, c.lateContents) === "addFinalizer" ? finalizersPatch(newest, { add: [snapshotFinalizer.content] }) : undefined;
    await patchNewest(c.contentTarget, content, patch, apiCallOptions(signal));
    return done;
  };

/** Nobody wants the snapshot of this content, and csi-snapshotter has to know before the content is deleted. */
async function deleteLate(c: SnapshotControllerContext, content: Content, signal: AbortSignal): Promise<void> {
  const { name, uid } = content.metadata;
  c.log.info("Deleting a content that was created after its snapshot had gone", { content: name });
  const mark = { [snapshotAnnotation.beingDeleted]: "yes" };
  await patchNewest(c.contentTarget, content, (newest) => annotationsPatch(newest, mark), apiCallOptions(signal));
  await ignoreNotFound(c.kube.delete(VolumeSnapshotContent, { name }, { ...apiCallOptions(signal), preconditions: { uid } }));
}
