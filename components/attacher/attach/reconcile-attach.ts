import { asError } from "@csi-sidecars/base";
import { outcomeOf } from "@csi-sidecars/csi";
import { PersistentVolume } from "@csi-sidecars/kube";
import { type AttacherContext, type AttachmentReconcile, apiTimeoutMs, worldOf } from "./attacher-context.ts";
import { patchAttachment, saveAttachError, whileDoing } from "./attachment-writes.ts";
import type { Attachment, Volume } from "./fields.ts";
import { attachedPatch } from "./patches.ts";
import { type AttachmentWorld, type AttachPlan, planAttach } from "./plan-attach.ts";
import { loadSecret } from "./secrets.ts";

type PublishPlan = Extract<AttachPlan, { step: "publish" }>;
type ProtectPlan = Extract<AttachPlan, { step: "protect" }>;
type PublishContext = Readonly<Record<string, string>>;

/** Attaches. Every await is a place where the process may end: what is stored by then makes the next attempt go on from there. */
export const reconcileAttach =
  (c: AttacherContext): AttachmentReconcile =>
  async (name, enterVolume, signal) => {
    const world = worldOf(c, name);
    if (!world) return;
    const publishContext = await attach(c, world, enterVolume, signal).catch(async (error: unknown) => {
      await saveAttachError(c, world.attachment, asError(error), signal);
      throw error;
    });
    if (!publishContext) return;
    const present = newest(c, world.attachment);
    await patchAttachment(c, present, attachedPatch(present, publishContext), { signal, subresource: "status" });
    c.memory.forced.delete(name);
  };

/** The newest state of the attachment itself: one that took its name meanwhile was not attached. */
function newest(c: AttacherContext, attachment: Attachment): Attachment {
  const { name, uid } = attachment.metadata;
  const present = c.attachments.get(name);
  return present?.metadata.uid === uid ? present : attachment;
}

/** What the driver said about the attached volume; `undefined` if there was nothing to ask it, or it is not our turn. */
async function attach(
  c: AttacherContext,
  world: AttachmentWorld,
  enterVolume: (volumeId: string) => boolean,
  signal: AbortSignal,
): Promise<PublishContext | undefined> {
  const forced = c.memory.forced.has(world.attachment.metadata.name);
  let plan = planAttach(world, c.driver, forced);
  if (plan.step === "protect") plan = planAttach({ ...world, volume: await protect(c, plan, signal) }, c.driver, forced);
  switch (plan.step) {
    case "none":
      return undefined;
    case "report":
      throw new Error(plan.message);
    case "protect":
      throw new Error("could not add PersistentVolume finalizer: the API server accepted it and did not keep it");
    case "publish":
      return enterVolume(plan.request.volumeId) ? publish(c, world.attachment, plan, signal) : undefined;
  }
}

async function protect(c: AttacherContext, { volume, patch }: ProtectPlan, signal: AbortSignal): Promise<Volume> {
  const { name } = volume.metadata;
  try {
    return await c.volumes.write(name, () => c.kube.patch(PersistentVolume, { name }, patch, { signal, timeoutMs: apiTimeoutMs }));
  } catch (error) {
    throw whileDoing("could not add PersistentVolume finalizer", error);
  }
}

async function publish(
  c: AttacherContext,
  attachment: Attachment,
  plan: PublishPlan,
  signal: AbortSignal,
): Promise<PublishContext | undefined> {
  const secrets = plan.secret ? await loadSecret(c.kube, plan.secret, { signal, timeoutMs: apiTimeoutMs }) : {};
  if (plan.prepare) {
    const prepared = await patchAttachment(c, attachment, plan.prepare, { signal }).catch((error: unknown) => {
      throw whileDoing("could not save VolumeAttachment", error);
    });
    // Deleted in the meantime: it is detached now, without having been attached for nobody.
    if (prepared.metadata.deletionTimestamp) return undefined;
  }
  const { timeoutMs, log } = c;
  const call = c.controller.controllerPublishVolume({ ...plan.request, secrets }, { timeoutMs, signal, log, migrated: plan.migrated });
  const outcome = await outcomeOf("publish", call);
  // Whatever kind of failure it is, the volume may be attached: the finalizer stays, and the same call is made again.
  if (outcome.kind !== "success") throw outcome.error;
  return outcome.response.publishContext;
}
