import { apiCallOptions, blocked, done, hasFinalizer, type ReconcileResult } from "@csi-sidecars/controller";
import { ignoreNotFound, projectorFor, replayDeletedObjects, type V1VolumeAttachment, VolumeAttachment } from "@csi-sidecars/kube";
import type { LockVolume } from "../attach-detach-queues.ts";
import { type AttacherContext, byVolume } from "../attacher-context.ts";
import type { DriverInfo } from "../driver-capabilities.ts";
import { type Attachment, attachmentFields } from "../fields.ts";
import { unpublishVolume } from "../publish-calls.ts";
import { persistentVolumeName, resolveAttachment } from "../resolved-attachment.ts";
import { planDetach } from "./plan-detach.ts";

/**
 * Whether a deleted attachment was deleted despite our finalizer. A delete that read it before it had the finalizer removes it all the
 * same, as the API server does not check again. Nobody else will ever detach the volume, which the driver may have attached by now.
 */
export function isOrphaned(attachment: Attachment, driver: DriverInfo): boolean {
  const { metadata, spec } = attachment;
  return spec.attacher === driver.name && !metadata.deletionTimestamp && hasFinalizer(attachment, driver.finalizer);
}

/** Enqueues the detach of an orphaned attachment that the watch or the API server's history shows. */
export function orphanDeleted(c: AttacherContext, attachment: Attachment): void {
  const { name } = attachment.metadata;
  c.log.info("VolumeAttachment was deleted despite its finalizer, its volume will be detached", { name });
  enqueueOrphan(c, attachment);
}

/** Enqueues the detach of the volume of an attachment that does not exist. An operation that is in progress for it ends first. */
export function enqueueOrphan(c: AttacherContext, attachment: Attachment): void {
  const deletionTimestamp = new Date(c.clock.now()).toISOString();
  const deleted = { ...attachment, metadata: { ...attachment.metadata, deletionTimestamp } };
  c.state.orphaned(resolveAttachment(c, deleted));
  c.queues.enqueue(deleted);
}

/** Detaches the volume of the orphan of this name, if there is one, unless another attachment has taken its place. */
export async function detachOrphan(
  c: AttacherContext,
  name: string,
  lockVolume: LockVolume,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const orphan = c.state.orphan(name);
  if (!orphan) return done;
  const plan = planDetach(orphan, c.driver, { forced: false, detached: false });
  if (plan.step === "unpublish" && !hasSuccessor(c, orphan.attachment)) {
    if (!lockVolume(plan.request.volumeId)) return blocked;
    if (await exists(c, orphan.attachment, signal))
      c.log.error(undefined, "VolumeAttachment was not listed but exists, its volume stays attached", { name });
    else if (!hasSuccessor(c, orphan.attachment)) await unpublishVolume(c, plan, signal);
  }
  c.state.orphanDetached(name);
  const volume = persistentVolumeName(orphan.attachment);
  if (volume) c.volumeController.enqueue(volume);
  return done;
}

/**
 * Whether the API server has the very attachment all the same. To the cache an attachment is gone that a list leaves out, and a list that is
 * wrong would detach every volume in use. A dangling publication has no attachment to ask for.
 */
async function exists(c: AttacherContext, { metadata: { name, uid } }: Attachment, signal: AbortSignal): Promise<boolean> {
  if (uid === "") return false;
  const found = await ignoreNotFound(c.kube.get(VolumeAttachment, { name }, apiCallOptions(signal)));
  return found !== undefined && (found.metadata?.uid ?? uid) === uid;
}

/** An attachment of the same volume and node, which attaches it again or detaches it in its own time. */
function hasSuccessor(c: AttacherContext, { metadata, spec }: Attachment): boolean {
  const volume = persistentVolumeName({ metadata, spec });
  const others = volume === undefined ? [c.attachments.get(metadata.name)] : c.caches.attachments.byIndex(byVolume, volume);
  return others.some(
    (other) => other?.spec.nodeName === spec.nodeName && (!other.metadata.deletionTimestamp || hasFinalizer(other, c.driver.finalizer)),
  );
}

/**
 * Detaches the volumes of attachments that were deleted despite our finalizer while no process was watching, because the one that
 * attached them was killed: only the API server's history still knows of them. No volume may lose its finalizer before this has ended.
 * It never fails: where the history cannot be read, the component works without it.
 */
export async function recoverDeletedAttachments(c: AttacherContext, signal: AbortSignal): Promise<void> {
  const project = projectorFor(attachmentFields);
  const onDelete = (object: V1VolumeAttachment) => {
    const attachment = project(object);
    if (isOrphaned(attachment, c.driver)) orphanDeleted(c, attachment);
  };
  try {
    await replayDeletedObjects(c.kube, VolumeAttachment, { clock: c.clock, signal, onDelete });
  } catch (error) {
    if (!signal.aborted) c.log.error(error, "Could not read which VolumeAttachments were deleted recently");
  }
}
