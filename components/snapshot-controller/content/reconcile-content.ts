import {
  apiCallOptions,
  done,
  finalizersPatch,
  hasFinalizer,
  patchNewest,
  type Reconcile,
  requeueAfter,
  retry,
} from "@csi-sidecars/controller";
import { snapshotAnnotation, snapshotFinalizer, VolumeSnapshot } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { deleteLateContent, findOwner } from "../delete-late-content.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Content } from "../fields.ts";
import { lateness } from "../late-contents.ts";
import { memberContentName } from "../members/member-names.ts";
import { messages } from "../messages.ts";

/** What a content asks for that is not a matter of its snapshot. */
export type ContentPlan = "none" | "invalid" | "addFinalizer" | "deleteLate" | "findSnapshot";

type ContentLookups = Pick<SnapshotControllerContext, "lateContents"> & {
  readonly snapshots: Pick<SnapshotControllerContext["snapshots"], "get">;
};

export function planContent(content: Content, { lateContents, snapshots }: ContentLookups): ContentPlan {
  const { source, volumeSnapshotRef: ref } = content.spec ?? {};
  const ownerUid = creatorOf(content);
  const hasOwner = ownerUid !== undefined && snapshots.get(`${ref?.namespace}/${ref?.name}`)?.metadata.uid === ownerUid;
  const when = lateness({ ...content, ownerUid, hasOwner, isOfGroup: isTaken(content) && isOfMember(content) }, lateContents);
  if (when !== "in time") return when === "late" ? "deleteLate" : "findSnapshot";
  if ((source?.volumeHandle === undefined) === (source?.snapshotHandle === undefined)) return "invalid";
  const isBound = (ref?.uid ?? "") !== "";
  const lacksFinalizer = content.metadata.deletionTimestamp === undefined && !hasFinalizer(content, snapshotFinalizer.content);
  return isBound && lacksFinalizer ? "addFinalizer" : "none";
}

/** The uid of the snapshot that the controller created a content for; one that its user has made has another name, or an existing snapshot. */
function creatorOf({ metadata, spec }: Content): string | undefined {
  const { uid } = spec?.volumeSnapshotRef ?? {};
  if (!uid || spec?.source?.volumeHandle === undefined) return undefined;
  return isOfMember({ metadata, spec }) || metadata.name === `snapcontent-${uid}` ? uid : undefined;
}

function isOfMember({ metadata, spec }: Pick<Content, "metadata" | "spec">): boolean {
  const isOfGroup = metadata.annotations?.[snapshotAnnotation.groupHandle] !== undefined;
  return isOfGroup && metadata.name === memberContentName(spec?.volumeSnapshotRef?.name ?? "");
}

/** Whether the driver has something of it. */
function isTaken({ status }: Content): boolean {
  return status?.snapshotHandle !== undefined;
}

/**
 * Protects a content that was bound without us: by its user, who has written the uid of the snapshot, or by another controller. What the snapshot
 * has to do with its content is done by the snapshot's own loop.
 */
export const reconcileContent =
  (c: SnapshotControllerContext): Reconcile =>
  async (name, signal) => {
    const content = c.contents.get(name);
    const plan = content ? planContent(content, c) : "none";
    if (!content || plan === "none") return done;
    const { name: snapshot = "", namespace, uid = "" } = content.spec?.volumeSnapshotRef ?? {};
    switch (plan) {
      case "invalid":
        c.contentEvents.warning(content, eventReasons.contentInvalid.reason, messages.notOneHandle());
        return done;
      case "findSnapshot": {
        const ref = { name: snapshot, namespace, uid, isTaken: isTaken(content) };
        const owner = await findOwner(c, VolumeSnapshot, c.deletedSnapshots, ref, signal);
        // One that exists is yet to be shown by the watch.
        if (owner === "exists") return retry;
        const text = messages.snapshotMissing(`${namespace}/${snapshot}`, uid);
        if (owner === "missing" && !ref.isTaken) c.contentEvents.warning(content, eventReasons.snapshotMissing.reason, text);
        return requeueAfter(0);
      }
      case "deleteLate": {
        const isLate = (newest: Content) => planContent(newest, c) === "deleteLate";
        const owner = { owner: VolumeSnapshot, ref: { name: snapshot, namespace, uid } };
        const late = { ...owner, beingDeleted: snapshotAnnotation.beingDeleted, finalizer: snapshotFinalizer.content, isLate };
        await deleteLateContent(c, c.contentTarget, content, late, signal);
        return done;
      }
      case "addFinalizer": {
        const patch = (newest: Content) =>
          planContent(newest, c) === "addFinalizer" ? finalizersPatch(newest, { add: [snapshotFinalizer.content] }) : undefined;
        await patchNewest(c.contentTarget, content, patch, apiCallOptions(signal));
        return done;
      }
    }
  };
