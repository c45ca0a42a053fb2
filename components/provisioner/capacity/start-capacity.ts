import { Controller, Debounce, done, type RetryIntervals, retryRateLimiter, waitForCacheSync } from "@csi-sidecars/controller";
import type { ComponentContext, Running } from "@csi-sidecars/host";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import type { VolumeChange } from "./affected-items.ts";
import { registerCapacityMetrics } from "./capacity-metrics.ts";
import { capacityFields, managedBy, type ObjectTemplate, selectorOf, servedCapacityResource } from "./capacity-object.ts";
import { CapacityReconciler } from "./capacity-reconciler.ts";
import { CapacityStore } from "./capacity-store.ts";
import { lookUpOwner } from "./owner.ts";
import { cachedDesiredItems, capacityClassFields, type WorkItemKey } from "./work-items.ts";

/** What publishing capacity needs of a component's context. */
export type CapacityContext = Pick<
  ComponentContext,
  "driver" | "informers" | "kube" | "metrics" | "queueMetrics" | "log" | "clock" | "signal" | "flagName"
>;

export interface CapacityOptions {
  readonly namespace: string;
  /** This pod; read only with an owner level. */
  readonly podName: string;
  /** `--capacity-ownerref-level`; negative for no owner. */
  readonly ownerLevel: number;
  /** `--capacity-threads` */
  readonly threads: number;
  /** `--capacity-poll-interval` */
  readonly pollIntervalMs: number;
  /** `--capacity-for-immediate-binding` */
  readonly immediateBinding: boolean;
  /** `--timeout` */
  readonly timeoutMs: number;
  readonly retryIntervals: RetryIntervals;
  /** The cluster's, or this node's in a node deployment. */
  readonly topologies: WatchedTopologies;
  /** Only in a node deployment: then each node's instance keeps objects of its own. */
  readonly nodeName?: string | undefined;
}

export interface RunningCapacity extends Running {
  /** Call it for every volume that was created, may have been created, or was deleted. */
  volumeChanged(change: VolumeChange): void;
}

/** Changes of nodes and classes come in bursts: those of this time are handled together. */
const debounceMs = 100;
/** The only key of the queue of such changes. */
const everything = "all";
/** A GetCapacity call may be aborted at any time. */
const drainMs = 2_000;

/** Publishes the driver's capacity, one CSIStorageCapacity for each class and topology, for the scheduler. */
export async function startCapacity(context: CapacityContext, options: CapacityOptions): Promise<RunningCapacity> {
  const { driver, informers, kube, clock, signal } = context;
  const { namespace, podName, ownerLevel, topologies, retryIntervals } = options;
  const log = context.log.named("capacity");
  const kind = await servedCapacityResource(kube, context.flagName("enable-capacity"), signal);
  const owner = ownerLevel < 0 ? undefined : await lookUpOwner(kube, { namespace, podName, level: ownerLevel }, signal);
  const template: ObjectTemplate = { namespace, driver: driver.name, managedBy: managedBy(options.nodeName), owner };

  const classes = informers.forFields(capacityClassFields);
  const view = informers.forFields(capacityFields(kind), { namespace, labelSelector: selectorOf(template) });
  const store = new CapacityStore({ view, kube, kind, template });
  const loops = { ...context, log };
  const items = new Controller<WorkItemKey>(loops, {
    name: "csistoragecapacity",
    rateLimiter: retryRateLimiter(retryIntervals),
    workers: options.threads,
    drainMs,
  });
  const changes = new Controller<string>(loops, { name: "csitopology", rateLimiter: retryRateLimiter(retryIntervals), workers: 1 });
  const reconciler = new CapacityReconciler({
    queue: items.queue,
    store,
    owner,
    desiredItems: cachedDesiredItems(classes, topologies, { driver: driver.name, immediateBinding: options.immediateBinding }),
    getCapacity: (request, stop) => driver.client.controller.getCapacity(request, { timeoutMs: options.timeoutMs, signal: stop, log }),
    log,
  });
  const volumeChanged = (change: VolumeChange) => {
    for (const reason of reconciler.volumeChanged(change))
      log.v(3).info("A volume's topology is not known: its capacity is not refreshed", { reason });
  };
  if (!(await waitForCacheSync([topologies, classes, view], signal))) return { done: Promise.resolve(), volumeChanged };

  reconciler.updateDesired();
  const changed = new Debounce({ clock, delayMs: () => debounceMs, work: () => changes.enqueue(everything) });
  const stopWatching = topologies.onChange(changed.trigger);
  classes.addHandler({ onAdd: changed.trigger, onUpdate: changed.trigger, onDelete: changed.trigger });
  view.addHandler(reconciler.handler);
  registerCapacityMetrics(context.metrics, {
    desired: () => reconciler.desired,
    published: (key) => store.isPublished(key),
    objects: () => view.list().length,
  });
  const updateDesired = async () => {
    reconciler.updateDesired();
    return done;
  };
  const parts = [
    items.run(reconciler.reconcile, signal),
    changes.run(updateDesired, signal),
    poll(context, options.pollIntervalMs, reconciler),
  ];
  const run = async () => {
    try {
      await Promise.all(parts);
    } finally {
      stopWatching();
      changed.stop();
    }
  };
  return { done: run(), volumeChanged };
}

/** Refreshes all items after each interval; at the start all items are new anyway. */
async function poll(
  { clock, signal }: Pick<CapacityContext, "clock" | "signal">,
  intervalMs: number,
  reconciler: CapacityReconciler,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(intervalMs, signal).catch(() => undefined);
    if (!signal.aborted) reconciler.poll();
  }
}
