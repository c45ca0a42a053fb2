import { apiCallOptions, done, finalizersPatch, hasFinalizer, patchNewest, type Reconcile } from "@csi-sidecars/controller";
import { snapshotFinalizer } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";

/** What a content asks for that is not a matter of its snapshot. */
export type ContentPlan = "none" | "invalid" | "addFinalizer";

export function planContent(content: Content): ContentPlan {
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
    const plan = content ? planContent(content) : "none";
    if (!content || plan === "none") return done;
    if (plan === "invalid") {
      c.contentEvents.warning(content, eventReasons.contentInvalid.reason, messages.notOneHandle());
      return done;
    }
    const patch = (newest: Content) =>
      planContent(newest) === "addFinalizer" ? finalizersPatch(newest, { add: [snapshotFinalizer.content] }) : undefined;
    await patchNewest(c.contentTarget, content, patch, apiCallOptions(signal));
    return done;
  };
