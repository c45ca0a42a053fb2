import {
  type CachedOf,
  done,
  fields,
  isNotFound,
  itemExponential,
  mergePatch,
  type Patch,
  RateLimitingQueue,
  strategicMergePatch,
  VolumeAttachment,
  Workers,
} from "@csi-sidecars/kube";
import { apiTimeoutMs } from "./attacher-context.ts";
import type { AttacherComponentContext } from "./flags.ts";
import { finalizerOf } from "./names.ts";

const trivialFields = fields(VolumeAttachment, {
  metadata: { finalizers: true, deletionTimestamp: true },
  spec: { attacher: true },
  status: { attached: true },
});
type TrivialAttachment = CachedOf<typeof trivialFields>;

export type TrivialPlan =
  | { readonly step: "none" }
  | { readonly step: "mark attached"; readonly patch: Patch }
  /** The driver attached once, as an earlier version of itself: nobody else would ever take our finalizer away. */
  | { readonly step: "release"; readonly patch: Patch };

function planTrivial({ metadata, spec, status }: TrivialAttachment, driver: string): TrivialPlan {
  if (spec.attacher !== driver) return { step: "none" };
  const { uid, deletionTimestamp, finalizers } = metadata;
  if (deletionTimestamp) {
    if (!finalizers?.includes(finalizerOf(driver))) return { step: "none" };
    return {
      step: "release",
      patch: strategicMergePatch({ metadata: { uid, "$deleteFromPrimitiveList/finalizers": [finalizerOf(driver)] } }),
    };
  }
  if (status?.attached) return { step: "none" };
  return {
    step: "mark attached",
    patch: mergePatch({ metadata: { uid }, status: { attached: true, attachError: null, attachmentMetadata: null } }),
  };
}

/** Serves a driver that knows no attaching: it needs attachments alone, neither volumes nor nodes. */
export async function startTrivialHandler(context: AttacherComponentContext): Promise<{ readonly done: Promise<void> }> {
  const { flags, kube, clock, log, signal } = context;
  const driver = context.driver.name;
  const attachments = context.informers.forFields(trivialFields);
  const queue = new RateLimitingQueue({
    clock,
    metrics: context.queueMetrics.forQueue("csi-attacher-va"),
    limiter: itemExponential(flags.retryIntervalStart, flags.retryIntervalMax),
  });
  const look = (attachment: TrivialAttachment) => {
    if (planTrivial(attachment, driver).step !== "none") queue.add(attachment.metadata.name);
  };
  attachments.addHandler(
    { onAdd: look, onUpdate: (_old, attachment) => look(attachment), onDelete: ({ metadata }) => queue.forget(metadata.name) },
    { resyncMs: flags.resync, name: "attacher" },
  );
  await attachments.waitForSync(signal);

  const workers = new Workers({
    ...{ queue, clock, log, concurrency: flags.workerThreads },
    async reconcile(name, workSignal) {
      const attachment = attachments.get(name);
      const plan = attachment && planTrivial(attachment, driver);
      if (!plan || plan.step === "none") return done;
      const options = {
        signal: workSignal,
        timeoutMs: apiTimeoutMs,
        ...(plan.step === "mark attached" && { subresource: "status" as const }),
      };
      await kube.patch(VolumeAttachment, { name }, plan.patch, options).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      return done;
    },
  });
  return { done: workers.run(signal) };
}
