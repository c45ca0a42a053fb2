import { type AttacherContext, worldOfAttachment } from "./attacher-context.ts";
import type { Attachment } from "./fields.ts";
import type { AttachmentWorld, DriverFacts } from "./plan-attach.ts";
import { planDetach, type UnpublishPlan } from "./plan-detach.ts";
import { volumeNameOf } from "./volume-source.ts";

/** An attachment that is gone, with all that is needed to detach its volume. */
export interface Abandoned {
  readonly world: AttachmentWorld;
  /** To be called when its volume is detached: it may be let go. */
  readonly detached: () => void;
}

/**
 * Whether an attachment vanished under our finalizer. A delete that read it before it was prepared removes it all the same: the API
 * server does not look again. Then nobody else will ever detach the volume, which the driver may have attached by now.
 */
export function isAbandoned({ metadata, spec }: Attachment, driver: DriverFacts): boolean {
  if (spec.attacher !== driver.name || metadata.deletionTimestamp) return false;
  return metadata.finalizers?.includes(driver.finalizer) ?? false;
}

/** Says that it vanished, and has its volume detached. */
export function abandonRemoved(c: AttacherContext, attachment: Attachment, detached: () => void): void {
  const { name } = attachment.metadata;
  c.log.info("VolumeAttachment was removed although it has our finalizer, its volume will be detached", { name });
  abandon(c, attachment, detached);
}

/** Lets the lane of detaches know of it, after whatever is under way for it now. */
export function abandon(c: AttacherContext, attachment: Attachment, detached: () => void): void {
  const { name } = attachment.metadata;
  const deletionTimestamp = new Date(c.clock.now()).toISOString();
  const gone = { ...attachment, metadata: { ...attachment.metadata, deletionTimestamp } };
  c.memory.abandoned.set(name, { world: worldOfAttachment(c, gone), detached });
  c.lanes.add(gone);
}

/** Detaches the volume of an attachment of this name that is gone, unless another attachment stands for it by now. */
export async function detachAbandoned(
  c: AttacherContext,
  name: string,
  enterVolume: (volumeId: string) => boolean,
  unpublish: (plan: UnpublishPlan) => Promise<void>,
): Promise<void> {
  const abandoned = c.memory.abandoned.get(name);
  if (!abandoned) return;
  const plan = planDetach(abandoned.world, c.driver, { forced: false, unpublished: false });
  if (plan.step === "unpublish" && !hasSuccessor(c, abandoned.world.attachment)) {
    if (!enterVolume(plan.request.volumeId)) return;
    await unpublish(plan);
  }
  c.memory.abandoned.delete(name);
  abandoned.detached();
}

/** How many of them have the volume. */
export function abandonedOf({ memory }: Pick<AttacherContext, "memory">, volume: string): number {
  return [...memory.abandoned.values()].filter(({ world }) => volumeNameOf(world.attachment) === volume).length;
}

/** One of the same volume and node, which attaches it again or detaches it in its own time. */
function hasSuccessor(c: AttacherContext, { metadata, spec }: Attachment): boolean {
  const volume = volumeNameOf({ metadata, spec });
  const others = volume === undefined ? [c.attachments.get(metadata.name)] : c.attachmentsOf(volume);
  return others.some(
    (other) =>
      other?.spec.nodeName === spec.nodeName &&
      (!other.metadata.deletionTimestamp || other.metadata.finalizers?.includes(c.driver.finalizer)),
  );
}
