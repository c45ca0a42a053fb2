import { asError } from "@csi-sidecars/base";
import { blocked, done, wrapError } from "@csi-sidecars/controller";
import type { AttachmentReconcile } from "../attach-detach-queues.ts";
import type { AttacherContext } from "../attacher-context.ts";
import { attachedPatch, patchAttachment, saveAttachError } from "../attachment-patches.ts";
import type { Attachment } from "../fields.ts";
import { type PublishContext, publishVolume, readPublishSecret } from "../publish-calls.ts";
import { resolveAttachment } from "../resolved-attachment.ts";
import { addVolumeFinalizer } from "../volume-finalizer.ts";
import { type AttachPlan, type PublishPlan, planAttach } from "./plan-attach.ts";

/** Attaches. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileAttach =
  (c: AttacherContext): AttachmentReconcile =>
  async (name, lockVolume, signal) => {
    const attachment = c.attachments.get(name);
    if (!attachment) return done;
    let publishContext: PublishContext | undefined;
    try {
      const plan = await planWithVolumeFinalizer(c, attachment, signal);
      switch (plan.step) {
        case "none":
          return done;
        case "report":
          throw new Error(plan.message);
        case "add volume finalizer":
          throw new Error("could not add PersistentVolume finalizer: the API server accepted it and did not keep it");
        case "publish":
          if (!lockVolume(plan.request.volumeId)) return blocked;
          publishContext = await publish(c, attachment, plan, signal);
      }
    } catch (error) {
      await saveAttachError(c, attachment, asError(error), signal);
      throw error;
    }
    if (publishContext) await markAttached(c, attachment, publishContext, signal);
    return done;
  };

/** The plan once the volume has our finalizer. */
async function planWithVolumeFinalizer(c: AttacherContext, attachment: Attachment, signal: AbortSignal): Promise<AttachPlan> {
  const forced = c.state.isForced(attachment.metadata.name);
  const resolved = resolveAttachment(c, attachment);
  const plan = planAttach(resolved, c.driver, forced);
  if (plan.step !== "add volume finalizer") return plan;
  const volume = await addVolumeFinalizer(c, plan.volume, plan.patch, signal);
  return planAttach({ ...resolved, volume }, c.driver, forced);
}

/** Calls the driver; `undefined` if the attachment was deleted before that. */
async function publish(
  c: AttacherContext,
  attachment: Attachment,
  plan: PublishPlan,
  signal: AbortSignal,
): Promise<PublishContext | undefined> {
  const secrets = await readPublishSecret(c, plan.secret, signal);
  if (plan.prepare) {
    const prepared = await patchAttachment(c, attachment, plan.prepare, { signal }).catch((error: unknown) => {
      throw wrapError("could not save VolumeAttachment", error);
    });
    if (prepared.metadata.deletionTimestamp) return undefined;
  }
  return publishVolume(c, plan, secrets, signal);
}

/** A failure is retried, with another call to the driver, and not stored as an attach error. */
async function markAttached(
  c: AttacherContext,
  attachment: Attachment,
  publishContext: PublishContext,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid } = attachment.metadata;
  const newest = c.attachments.get(name);
  // Another attachment that has the name by now was not attached.
  const attached = newest?.metadata.uid === uid ? newest : attachment;
  await patchAttachment(c, attached, attachedPatch(attached, publishContext), { signal, subresource: "status" });
  c.state.synced(name);
}
