import { AssumeCache } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { itemExponential, type KubeObject, projector, RateLimitingQueue, Workers } from "@csi-sidecars/kube";
import { abandonedOf } from "./abandoned.ts";
import { Activity } from "./activity.ts";
import type { AttacherContext } from "./attacher-context.ts";
import { catchUp } from "./catch-up.ts";
import { type DriverMode, driverMode } from "./driver-mode.ts";
import { type Attachment, attachmentFields, nodeFields, type Volume, volumeFields } from "./fields.ts";
import type { AttacherComponentContext } from "./flags.ts";
import { Lanes } from "./lanes.ts";
import { finalizerOf } from "./names.ts";
import { reconcileAttach } from "./reconcile-attach.ts";
import { reconcileDetach } from "./reconcile-detach.ts";
import { comparePeriodically } from "./reconcile-published.ts";
import { reconcileVolume } from "./reconcile-volume.ts";
import { startTrivialHandler } from "./trivial-handler.ts";
import { byVolume, type Views, watchObjects } from "./watch-objects.ts";

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. */
export async function startAttacher(context: AttacherComponentContext): Promise<Running> {
  const mode = await driverMode(context.driver.capabilities);
  context.log.info("Serving the driver", { driver: context.driver.name, ...mode });
  return mode.kind === "trivial" ? startTrivialHandler(context) : startCsiHandler(context, mode);
}

async function startCsiHandler(context: AttacherComponentContext, mode: Extract<DriverMode, { kind: "csi" }>): Promise<Running> {
  const { flags, informers, clock, log, signal } = context;
  const views: Views = {
    attachments: informers.forFields(attachmentFields),
    volumes: informers.forFields(volumeFields),
    nodes: informers.forFields(nodeFields),
  };
  const projected = projector(attachmentFields.tree);
  const projectAttachment = (object: KubeObject) => projected(object) as Attachment;
  const c = attacherContext(context, mode, views, projectAttachment);
  const volumeQueue = new RateLimitingQueue({
    clock,
    metrics: context.queueMetrics.forQueue("csi-attacher-pv"),
    limiter: itemExponential(flags.retryIntervalStart, flags.retryIntervalMax),
  });
  watchObjects(c, views, volumeQueue, flags.resync);
  await Promise.all(Object.values(views).map((view) => view.waitForSync(signal)));

  const volumeWorkers = new Workers({
    ...{ queue: volumeQueue, clock, log, concurrency: flags.workerThreads },
    reconcile: reconcileVolume(c, (volume) => c.attachmentsOf(volume).length + abandonedOf(c, volume)),
  });
  const unclaimed = {
    volumes: () => views.volumes.list(),
    nodes: () => views.nodes.list(),
    lookAtVolume: (volume: string) => volumeQueue.add(volume),
  };
  const comparison = {
    ...{ periodMs: flags.reconcileSync, maxEntries: flags.maxEntries, attachments: () => views.attachments.list() },
    ...(flags.detachUnclaimed && { unclaimed }),
  };
  const caughtUp = catchUp(c, projectAttachment, (volume) => volumeQueue.add(volume), signal);
  const parts = [
    c.lanes.run({ attach: reconcileAttach(c), detach: reconcileDetach(c) }, signal),
    caughtUp.then(() => volumeWorkers.run(signal)),
    ...(mode.listsPublished ? [comparePeriodically(c, comparison, signal)] : []),
  ];
  return { done: Promise.all(parts).then(() => undefined) };
}

function attacherContext(
  { driver, flags, gates, kube, clock, log, queueMetrics }: AttacherComponentContext,
  { publishReadonly, singleNodeMultiWriter }: Extract<DriverMode, { kind: "csi" }>,
  views: Views,
  projectAttachment: (object: KubeObject) => Attachment,
): AttacherContext {
  const projectVolume = projector(volumeFields.tree);
  const attachments = new AssumeCache<Attachment>(views.attachments, projectAttachment);
  const activity = new Activity();
  return {
    driver: {
      name: driver.name,
      finalizer: finalizerOf(driver.name),
      ...{ publishReadonly, singleNodeMultiWriter, defaultFsType: flags.defaultFstype },
    },
    controller: driver.client.controller,
    timeoutMs: flags.timeout,
    errorCodes: gates.enabled("MutableCSINodeAllocatableCount"),
    attachments,
    volumes: new AssumeCache<Volume>(views.volumes, (object) => projectVolume(object) as Volume),
    attachmentsOf: (volume) => views.attachments.byIndex(byVolume, volume),
    nodes: views.nodes,
    lanes: new Lanes({
      ...{ clock, log, activity, metrics: queueMetrics, concurrency: flags.workerThreads },
      retryStartMs: flags.retryIntervalStart,
      retryMaxMs: flags.retryIntervalMax,
      attachmentOf: (name) => attachments.get(name),
    }),
    memory: { forced: new Set(), unpublished: new Map(), abandoned: new Map() },
    ...{ kube, activity, clock, log },
  };
}
