import { asError } from "@csi-sidecars/base";
import { blocked, done, wrapError } from "@csi-sidecars/controller";
import type { AttachmentReconcile } from "../attach-detach-queues.ts";
import type { AttacherContext } from "../attacher-context.ts";
import { attachedPatch, patchAttachment, saveAttachError } from "../attachment-patches.ts";
import type { Publication } from "../attachment-state.ts";
import type { Attachment } from "../fields.ts";
import { logDone, publishVolume, readPublishSecret } from "../publish-calls.ts";
import { resolveAttachment } from "../resolved-attachment.ts";
import { addVolumeFinalizer } from "../volume-finalizer.ts";
import { type AttachPlan, type PublishPlan, planAttach } from "./plan-attach.ts";

/** Attaches. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileAttach =
  (c: AttacherContext): AttachmentReconcile =>
  async (name, lockVolume, signal) => {
    const attachment = c.attachments.get(name);
    if (!attachment) return done;
    const started = c.clock.monotonic();
    let publication: Publication | undefined;
    try {
      const plan = await planWithVolumeFinalizer(c, attachment, signal);
      switch (plan.step) {
        case "none":
          c.state.publicationSaved(name);
          return done;
        case "report":
          throw new Error(plan.message);
        case "add volume finalizer":
          throw new Error("could not add PersistentVolume finalizer: the API server accepted it and did not keep it");
        case "publish":
          if (!c.state.unsavedPublication(attachment, plan.request) && !lockVolume(plan.request.volumeId)) return blocked;
          publication = await publish(c, attachment, plan, signal);
      }
    } catch (error) {
      await saveAttachError(c, attachment, asError(error), signal);
      throw error;
    }
    if (publication) {
      await markAttached(c, attachment, publication, signal);
      logDone(c, "Attached", publication.request, { attachment: name, started });
    }
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

/** Calls the driver, unless it has answered before; `undefined` if the attachment was deleted before that. */
async function publish(
  c: AttacherContext,
  attachment: Attachment,
  plan: PublishPlan,
  signal: AbortSignal,
): Promise<Publication | undefined> {
  const { request } = plan;
  const answered = c.state.unsavedPublication(attachment, request);
  const secrets = answered ? {} : await readPublishSecret(c, plan.secret, signal);
  if (plan.prepare) {
    const prepared = await patchAttachment(c, attachment, plan.prepare, { signal }).catch((error: unknown) => {
      throw wrapError("could not save VolumeAttachment", error);
    });
    if (prepared.metadata.deletionTimestamp) return undefined;
  }
  return { request, publishContext: answered ?? (await publishVolume(c, plan, secrets, signal)) };
}

/** A failure is retried without another call to the driver, and not stored as an attach error. */
async function markAttached(c: AttacherContext, attachment: Attachment, publication: Publication, signal: AbortSignal): Promise<void> {
  const { name, uid } = attachment.metadata;
  // Another attachment that has the name by now was not attached.
  const newest = () => (c.attachments.get(name)?.metadata.uid === uid ? c.attachments.get(name) : undefined);
  const attached = newest() ?? attachment;
  try {
    await patchAttachment(c, attached, attachedPatch(attached, publication.publishContext), { signal, subresource: "status" });
  } catch (error) {
    if (newest()) c.state.publicationUnsaved(attached, publication);
    throw error;
  }
  c.state.publicationSaved(name);
  c.state.synced(name);
}
