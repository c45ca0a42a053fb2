import { apiCallOptions, done, finalizersPatch, patchNewest, type Reconcile, requeueAfter, retry } from "@csi-sidecars/controller";
import { groupSnapshotAnnotation, groupSnapshotFinalizer, VolumeGroupSnapshot } from "@csi-sidecars/kube";
import { deleteLateContent, findOwner } from "../delete-late-content.ts";
import type { GroupContent } from "../fields.ts";
import type { GroupContext } from "../group-snapshot/group-context.ts";
import { groupEventReasons as reasons } from "../group-snapshot/group-event-reasons.ts";
import { groupMessages as messages } from "../group-snapshot/group-messages.ts";
import { planGroupContentSync } from "./plan-group-content-sync.ts";

/** Protects a content that is bound, and tells its group snapshot what is new. */
export const reconcileGroupContent =
  (c: GroupContext): Reconcile =>
  async (name, signal) => {
    const content = c.groupContents.get(name);
    if (!content) return done;
    const { name: group = "", namespace = "", uid = "" } = content.spec?.volumeGroupSnapshotRef ?? {};
    const key = `${namespace}/${group}`;
    const plan = planGroupContentSync(content, c.groupSnapshots.get(key), c.lateContents);
    if (plan.isInvalid) {
      c.groupContentEvents.warning(content, reasons.contentInvalid.reason, messages.notOneHandle());
      throw new Error(messages.notOneHandle());
    }
    if (plan.lateness === "unknown") {
      const isTaken = content.status?.volumeGroupSnapshotHandle !== undefined;
      const owner = await findOwner(c, VolumeGroupSnapshot, c.deletedGroups, { name: group, namespace, uid, isTaken }, signal);
      // A group snapshot that exists is yet to be shown by the watch.
      if (owner === "exists") return retry;
      if (owner === "missing" && !isTaken)
        c.groupContentEvents.warning(content, reasons.groupMissing.reason, messages.groupMissing(key, uid));
      return requeueAfter(0);
    }
    if (plan.lateness === "late") {
      const isLate = (newest: GroupContent) => planGroupContentSync(newest, c.groupSnapshots.get(key), c.lateContents).lateness === "late";
      const owner = { owner: VolumeGroupSnapshot, ref: { name: group, namespace, uid } };
      const late = { ...owner, beingDeleted: groupSnapshotAnnotation.beingDeleted, finalizer: groupSnapshotFinalizer.content, isLate };
      await deleteLateContent(c, c.groupContentTarget, content, late, signal);
      return done;
    }
    if (plan.concernsGroup) c.groupLoop.enqueue(key);
    if (plan.needsFinalizer) {
      const protect = (newest: GroupContent) => finalizersPatch(newest, { add: [groupSnapshotFinalizer.content] });
      await patchNewest(c.groupContentTarget, content, protect, apiCallOptions(signal));
    }
    return done;
  };
