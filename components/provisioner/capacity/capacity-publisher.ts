import { Controller, Debounce, done, retryRateLimiter, waitForCacheSync } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import type { Client, Environment } from "@csi-sidecars/kube";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import type { VolumeChange } from "./affected-items.ts";
import { registerCapacityMetrics } from "./capacity-metrics.ts";
import { capacityFields, managedBy, type ObjectTemplate, selectorOf, servedCapacityResource } from "./capacity-object.ts";
import { CapacityReconciler } from "./capacity-reconciler.ts";
import { CapacityStore } from "./capacity-store.ts";
import { lookUpOwner } from "./owner.ts";
import { cachedDesiredItems, capacityClassFields, type WorkItemKey } from "./work-items.ts";

type Flags = ProvisionerComponentContext["flags"];

/** What publishing capacity needs of the component's context. */
export interface CapacityContext
  extends Pick<
    ProvisionerComponentContext,
    "driver" | "informers" | "kubeFor" | "metrics" | "queueMetrics" | "log" | "clock" | "signal" | "flagName" | "env"
  > {
  readonly flags: Pick<
    Flags,
    | "timeout"
    | "retryIntervalStart"
    | "retryIntervalMax"
    | "capacityThreads"
    | "capacityPollInterval"
    | "capacityForImmediateBinding"
    | "capacityOwnerrefLevel"
    | "kubeApiCapacityQps"
    | "kubeApiCapacityBurst"
  >;
}

export interface CapacityOptions {
  /** The cluster's, or this node's in a node deployment. */
  readonly topologies: WatchedTopologies;
  /** Only in a node deployment: then each node's instance keeps objects of its own. */
  readonly nodeName: string | undefined;
}

/** Changes of nodes and classes come in bursts: those of this time are handled together. */
const debounceMs = 100;
/** The only key of the queue of such changes. */
const everything = "all";
/** A GetCapacity call may be aborted at any time. */
const drainMs = 2_000;

/**
 * Publishes the driver's capacity, one CSIStorageCapacity for each class and topology, for the scheduler. It has a client of its own:
 * its requests never delay those for volumes.
 */
export class CapacityPublisher {
  readonly #context: CapacityContext;
  readonly #options: CapacityOptions;
  #reconciler: CapacityReconciler | undefined;

  constructor(context: CapacityContext, options: CapacityOptions) {
    this.#context = { ...context, log: context.log.named("capacity") };
    this.#options = options;
  }

  /**
   * Call it for every volume that was created, may have been created, or was deleted. Has no effect before the start: then all
   * capacities are new anyway.
   */
  volumeChanged(change: VolumeChange): void {
    for (const reason of this.#reconciler?.volumeChanged(change) ?? []) {
      this.#context.log.v(3).info("A volume's topology is not known: its capacity is not refreshed", { reason });
    }
  }

  async run(): Promise<void> {
    const { done: ended } = await this.start();
    await ended;
  }

  /** Fails where the cluster does not serve the objects or their owner is not found; works until the context's signal aborts. */
  async start(): Promise<Running> {
    const context = this.#context;
    const { driver, informers, flags, clock, log, signal } = context;
    const { topologies } = this.#options;
    const level = flags.capacityOwnerrefLevel;
    const { namespace, podName } = capacityEnvironment(context.env, level);
    const kube = capacityClient(context);
    const kind = await servedCapacityResource(kube, context.flagName("enable-capacity"), signal);
    const owner = level < 0 ? undefined : await lookUpOwner(kube, { namespace, podName, level }, signal);
    const template: ObjectTemplate = { namespace, driver: driver.name, managedBy: managedBy(this.#options.nodeName), owner };

    const classes = informers.forFields(capacityClassFields);
    const view = informers.forFields(capacityFields(kind), { namespace, labelSelector: selectorOf(template) });
    const store = new CapacityStore({ view, kube, kind, template });
    const items = new Controller<WorkItemKey>(context, {
      name: "csistoragecapacity",
      rateLimiter: retryRateLimiter(flags),
      workers: flags.capacityThreads,
      driver: driver.availability,
      drainMs,
    });
    const changes = new Controller<string>(context, { name: "csitopology", rateLimiter: retryRateLimiter(flags), workers: 1 });
    const reconciler = new CapacityReconciler({
      queue: items.queue,
      store,
      owner,
      desiredItems: cachedDesiredItems(classes, topologies, {
        driver: driver.name,
        immediateBinding: flags.capacityForImmediateBinding,
      }),
      getCapacity: (request, stop) => driver.client.controller.getCapacity(request, { timeoutMs: flags.timeout, signal: stop, log }),
      log,
    });
    if (!(await waitForCacheSync([topologies, classes, view], signal))) return { done: Promise.resolve() };

    reconciler.updateDesired();
    this.#reconciler = reconciler;
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
    const parts = [items.run(reconciler.reconcile, signal), changes.run(updateDesired, signal), poll(context, reconciler)];
    const ended = Promise.all(parts).finally(() => {
      stopWatching();
      changed.stop();
    });
    return { done: ended.then(() => undefined) };
  }
}

function capacityClient({ flags, flagName, kubeFor }: CapacityContext): Client {
  return kubeFor("capacity", {
    qps: flags.kubeApiCapacityQps,
    burst: flags.kubeApiCapacityBurst,
    limitedBy: `--${flagName("kube-api-capacity-qps")} and --${flagName("kube-api-capacity-burst")}`,
  });
}

/** Refreshes all items after each interval; at the start all items are new anyway. */
async function poll({ clock, flags, signal }: CapacityContext, reconciler: CapacityReconciler): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(flags.capacityPollInterval, signal).catch(() => undefined);
    if (!signal.aborted) reconciler.poll();
  }
}

/** The namespace of the objects, and this pod, which may own them. */
export interface CapacityEnvironment {
  readonly namespace: string;
  /** Empty only where the objects have no owner. */
  readonly podName: string;
}

/** The environment variables that the pod's manifest lacks. */
export function missingCapacityEnvironment(
  { NAMESPACE: namespace, POD_NAME: podName }: Environment,
  ownerLevel: number,
): readonly string[] {
  return [
    ...(namespace ? [] : ["need NAMESPACE env variable for CSIStorageCapacity objects"]),
    ...(podName || ownerLevel < 0 ? [] : ["need POD_NAME env variable to determine CSIStorageCapacity owner"]),
  ];
}

/** Throws what is missing. */
export function capacityEnvironment(env: Environment, ownerLevel: number): CapacityEnvironment {
  const [problem] = missingCapacityEnvironment(env, ownerLevel);
  if (problem !== undefined) throw new Error(problem);
  const { NAMESPACE: namespace = "", POD_NAME: podName = "" } = env;
  return { namespace, podName };
}
