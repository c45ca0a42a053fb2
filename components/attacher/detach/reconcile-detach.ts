import { asError } from "@csi-sidecars/base";
import { blocked, hasFinalizer, removeFinalizerPatch, wrapError } from "@csi-sidecars/controller";
import { ignoreNotFound } from "@csi-sidecars/kube";
import type { AttachmentReconcile } from "../attach-detach-queues.ts";
import type { AttacherContext } from "../attacher-context.ts";
import { detachedPatch, patchAttachment, saveDetachError } from "../attachment-patches.ts";
import type { Attachment } from "../fields.ts";
import { logDone, unpublishVolume } from "../publish-calls.ts";
import { resolveAttachment } from "../resolved-attachment.ts";
import { detachOrphan } from "./orphaned-attachments.ts";
import { isStatusStale, planDetach } from "./plan-detach.ts";

/** Detaches. The finalizer is removed only after the driver succeeded: after any failure the volume may still be attached. */
export const reconcileDetach =
  (c: AttacherContext): AttachmentReconcile =>
  async (name, lockVolume, signal) => {
    const result = await detachOrphan(c, name, lockVolume, signal);
    const attachment = c.attachments.get(name);
    if (!attachment) return result;
    const started = c.clock.monotonic();
    try {
      const state = { forced: c.state.isForced(name), detached: c.state.isDetached(attachment) };
      const plan = planDetach(resolveAttachment(c, attachment), c.driver, state);
      switch (plan.step) {
        case "none":
          break;
        case "report":
          throw new Error(plan.message);
        case "mark detached":
          await markDetached(c, attachment, signal);
          break;
        case "unpublish":
          if (!lockVolume(plan.request.volumeId)) return blocked;
          await unpublishVolume(c, plan, signal);
          await releaseAttachment(c, attachment, signal);
          c.state.synced(name);
          logDone(c, "Detached", plan.request, { attachment: name, started });
          break;
        case "release":
          await releaseAttachment(c, attachment, signal);
      }
      return result;
    } catch (error) {
      await saveDetachError(c, attachment, asError(error), signal);
      throw error;
    }
  };

/**
 * Removes the finalizer before the status is patched: without it the attachment counts as detached, so a process that ends in between
 * leaves nothing to be done twice. With the last finalizer the attachment itself is gone, and its status with it.
 */
async function releaseAttachment(c: AttacherContext, attachment: Attachment, signal: AbortSignal): Promise<void> {
  let released = attachment;
  if (hasFinalizer(attachment, c.driver.finalizer)) {
    const patch = removeFinalizerPatch(attachment, c.driver.finalizer);
    const patched = await saved(patchAttachment(c, attachment, patch, { signal })).catch((error: unknown) => {
      // The next attempt needs no other call. What is gone meanwhile needs no attempt.
      if (c.attachments.get(attachment.metadata.name)?.metadata.uid === attachment.metadata.uid) c.state.detached(attachment);
      throw error;
    });
    if (!patched?.metadata.finalizers?.length) return;
    c.state.detached(patched);
    released = patched;
  }
  if (isStatusStale(released)) await markDetached(c, released, signal);
  else c.state.statusSaved(released.metadata.name);
}

async function markDetached(c: AttacherContext, attachment: Attachment, signal: AbortSignal): Promise<void> {
  await saved(patchAttachment(c, attachment, detachedPatch(attachment), { signal, subresource: "status" }));
  c.state.statusSaved(attachment.metadata.name);
}

async function saved(write: Promise<Attachment>): Promise<Attachment | undefined> {
  try {
    return await ignoreNotFound(write);
  } catch (error) {
    throw wrapError("could not mark as detached", error);
  }
}
