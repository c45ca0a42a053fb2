import { hasFinalizer, type PlannedPatch, removeFinalizerPatch, retryRateLimiter, startPatchController } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { type CachedOf, fields, mergePatch, VolumeAttachment } from "@csi-sidecars/kube";
import { finalizerName } from "./driver-capabilities.ts";
import type { AttacherComponentContext } from "./flags.ts";

const trivialFields = fields(VolumeAttachment, {
  metadata: { finalizers: true, deletionTimestamp: true },
  spec: { attacher: true },
  status: { attached: true },
});
type TrivialAttachment = CachedOf<typeof trivialFields>;

/** Serves a driver that does not attach volumes: its attachments are marked as attached. Neither volumes nor nodes are watched. */
export function startTrivialHandler(context: AttacherComponentContext): Promise<Running> {
  const { flags, informers, driver } = context;
  return startPatchController(context, {
    name: "csi-attacher-va",
    resource: VolumeAttachment,
    view: informers.forFields(trivialFields),
    plan: (attachment) => planTrivial(attachment, driver.name),
    workers: flags.workerThreads,
    rateLimiter: retryRateLimiter(flags),
    resyncMs: flags.resync,
    handler: "attacher",
  });
}

function planTrivial(attachment: TrivialAttachment, driver: string): PlannedPatch | undefined {
  const { metadata, spec, status } = attachment;
  if (spec.attacher !== driver) return undefined;
  if (metadata.deletionTimestamp) {
    // An earlier version of the driver attached volumes: nobody else removes the finalizer of that time.
    const finalizer = finalizerName(driver);
    return hasFinalizer(attachment, finalizer) ? { patch: removeFinalizerPatch(attachment, finalizer) } : undefined;
  }
  if (status?.attached) return undefined;
  const attached = { attached: true, attachError: null, attachmentMetadata: null };
  return { patch: mergePatch({ metadata: { uid: metadata.uid }, status: attached }), subresource: "status" };
}
