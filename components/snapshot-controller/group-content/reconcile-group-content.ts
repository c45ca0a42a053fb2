import { apiCallOptions, done, finalizersPatch, patchNewest, type Reconcile } from "@csi-sidecars/controller";
import { groupSnapshotFinalizer } from "@csi-sidecars/kube";
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
    const { name: group = "", namespace = "" } = content.spec?.volumeGroupSnapshotRef ?? {};
    const key = `${namespace}/${group}`;
    const plan = planGroupContentSync(content, c.groupSnapshots.get(key));
    if (plan.isInvalid) {
      c.groupContentEvents.warning(content, reasons.contentInvalid.reason, messages.notOneHandle());
      throw new Error(messages.notOneHandle());
    }
    if (plan.concernsGroup) c.groupLoop.enqueue(key);
    if (plan.needsFinalizer) {
      const protect = (newest: GroupContent) => finalizersPatch(newest, { add: [groupSnapshotFinalizer.content] });
      await patchNewest(c.groupContentTarget, content, protect, apiCallOptions(signal));
    }
    return done;
  };
