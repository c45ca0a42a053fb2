import { asError } from "@csi-sidecars/base";
import { outcomeOf } from "@csi-sidecars/csi";
import { isNotFound } from "@csi-sidecars/kube";
import { detachAbandoned } from "./abandoned.ts";
import { type AttacherContext, type AttachmentReconcile, apiTimeoutMs, worldOf } from "./attacher-context.ts";
import { patchAttachment, saveDetachError, whileDoing } from "./attachment-writes.ts";
import type { Attachment } from "./fields.ts";
import { detachedPatch, removeFinalizerPatch } from "./patches.ts";
import { planDetach, type UnpublishPlan } from "./plan-detach.ts";
import { loadSecret } from "./secrets.ts";

/** Detaches, and lets the attachment go only when the driver says that it is done: any failure may mean that it is still attached. */
export const reconcileDetach =
  (c: AttacherContext): AttachmentReconcile =>
  async (name, enterVolume, signal) => {
    await detachAbandoned(c, name, enterVolume, (plan) => unpublish(c, plan, signal));
    const world = worldOf(c, name);
    if (!world) return;
    const { attachment } = world;
    const { forced, unpublished } = c.memory;
    try {
      const plan = planDetach(world, c.driver, {
        forced: forced.has(name),
        unpublished: unpublished.get(name) === attachment.metadata.uid,
      });
      switch (plan.step) {
        case "none":
          return;
        case "report":
          throw new Error(plan.message);
        case "finish":
          return await markDetached(c, attachment, signal);
        case "unpublish":
          if (!enterVolume(plan.request.volumeId)) return;
          await unpublish(c, plan, signal);
          await letGo(c, attachment, signal);
          forced.delete(name);
      }
    } catch (error) {
      await saveDetachError(c, attachment, asError(error), signal);
      throw error;
    }
  };

async function unpublish(c: AttacherContext, plan: UnpublishPlan, signal: AbortSignal): Promise<void> {
  const secrets = plan.secret ? await loadSecret(c.kube, plan.secret, { signal, timeoutMs: apiTimeoutMs }) : {};
  const { timeoutMs, log } = c;
  const call = c.controller.controllerUnpublishVolume({ ...plan.request, secrets }, { timeoutMs, signal, log, migrated: plan.migrated });
  const outcome = await outcomeOf("publish", call);
  if (outcome.kind !== "success") throw outcome.error;
}

/**
 * Removes the finalizer before the status is written: without it the attachment counts as detached, so a process that ends in
 * between leaves nothing to be done twice. With the last finalizer the attachment itself is gone, and its status with it.
 */
async function letGo(c: AttacherContext, attachment: Attachment, signal: AbortSignal): Promise<void> {
  let left: Attachment | undefined = attachment;
  if (attachment.metadata.finalizers?.includes(c.driver.finalizer)) {
    left = await unlessGone(patchAttachment(c, attachment, removeFinalizerPatch(attachment, c.driver.finalizer), { signal }));
    if (!left?.metadata.finalizers?.length) return;
    c.memory.unpublished.set(left.metadata.name, left.metadata.uid);
  }
  if (left.status?.attached || left.status?.detachError) await markDetached(c, left, signal);
  else c.memory.unpublished.delete(left.metadata.name);
}

async function markDetached(c: AttacherContext, attachment: Attachment, signal: AbortSignal): Promise<void> {
  await unlessGone(patchAttachment(c, attachment, detachedPatch(attachment), { signal, subresource: "status" }));
  c.memory.unpublished.delete(attachment.metadata.name);
}

async function unlessGone(write: Promise<Attachment>): Promise<Attachment | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw whileDoing("could not mark as detached", error);
  }
}
