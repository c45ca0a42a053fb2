import type { ComponentContext, Running } from "@csi-sidecars/host";
import { done, itemExponential, RateLimitingQueue, Workers } from "@csi-sidecars/kube";
import type { WatchedTopologies } from "../topology/node-topologies.ts";
import { CapacityController } from "./capacity-controller.ts";
import { registerCapacityMetrics } from "./capacity-metrics.ts";
import { capacityFields, servedCapacityResource } from "./capacity-object.ts";
import { CapacityStore } from "./capacity-store.ts";
import { capacityClassFields, desiredPairsOf } from "./desired-pairs.ts";
import { managedBy } from "./managed-by.ts";
import { lookUpOwner } from "./owner.ts";
import type { PairKey } from "./pair.ts";
import { type Marks, selectorOf } from "./plan-write.ts";
import type { VolumeChange } from "./volume-change.ts";

/** What publishing capacity needs of a component's context. */
export type CapacityContext = Pick<
  ComponentContext,
  "driver" | "informers" | "kube" | "metrics" | "queueMetrics" | "log" | "clock" | "signal" | "spelled"
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
  /** `--retry-interval-start` and `-max` */
  readonly retryStartMs: number;
  readonly retryMaxMs: number;
  /** The cluster's, or this node's in a node deployment. */
  readonly topologies: WatchedTopologies;
  /** Only in a node deployment: then each node's instance keeps objects of its own. */
  readonly nodeName?: string | undefined;
}

export interface RunningCapacity extends Running {
  /** To be told of every volume that was created, that may have been, or that was deleted. */
  volumeChanged(change: VolumeChange): void;
}

/** Changes of nodes and classes come in bursts: as many as come within this time are looked at together. */
const settleMs = 100;
const everything = "all";
/** A look at the driver's room may be broken off at any time. */
const drainMs = 2_000;

/** Publishes how much room the driver has, one object for each class and place, for the scheduler. */
export async function startCapacity(context: CapacityContext, options: CapacityOptions): Promise<RunningCapacity> {
  const { driver, informers, kube, queueMetrics, clock, signal } = context;
  const { namespace, podName, ownerLevel, topologies } = options;
  const log = context.log.named("capacity");
  const kind = await servedCapacityResource(kube, context.spelled("enable-capacity"), signal);
  const owner = ownerLevel < 0 ? undefined : await lookUpOwner(kube, { namespace, podName, level: ownerLevel }, signal);
  const marks: Marks = { namespace, driver: driver.name, managedBy: managedBy(options.nodeName), owner };

  const classes = informers.forFields(capacityClassFields);
  const view = informers.forFields(capacityFields(kind), { namespace, labelSelector: selectorOf(marks) });
  const store = new CapacityStore({ view, kube, kind, marks });
  const limiter = () => itemExponential<string>(options.retryStartMs, options.retryMaxMs);
  const queue = new RateLimitingQueue<PairKey>({ limiter: limiter(), clock, metrics: queueMetrics.forQueue("csistoragecapacity") });
  const changes = new RateLimitingQueue<string>({ limiter: limiter(), clock, metrics: queueMetrics.forQueue("csitopology") });
  const controller = new CapacityController({
    queue,
    store,
    owner,
    desire: desiredPairsOf(classes, topologies, { driver: driver.name, immediateBinding: options.immediateBinding }),
    getCapacity: (request, stop) => driver.client.controller.getCapacity(request, { timeoutMs: options.timeoutMs, signal: stop, log }),
    log,
  });

  await Promise.all([topologies.waitForSync(signal), classes.waitForSync(signal), view.waitForSync(signal)]);
  controller.redesire();
  const settle = settling(clock, settleMs, () => changes.add(everything));
  const ends = [topologies.onChange(settle.changed), settle.cancel];
  classes.addHandler({ onAdd: settle.changed, onUpdate: settle.changed, onDelete: settle.changed });
  view.addHandler(controller.handler);
  registerCapacityMetrics(context.metrics, {
    desired: () => controller.desired,
    published: (key) => view.byIndex("pair", key).length > 0,
    objects: () => view.list().length,
  });

  const workers = new Workers({ queue, reconcile: controller.reconcile, concurrency: options.threads, drainMs, clock, log });
  const reconcile = async () => {
    await controller.redesire();
    return done;
  };
  const redesiring = new Workers<string>({ queue: changes, reconcile, concurrency: 1, clock, log });
  const running = Promise.all([workers.run(signal), redesiring.run(signal), polling(context, options.pollIntervalMs, controller)]);
  return {
    done: running.then(() => {
      for (const end of ends) end();
    }),
    volumeChanged(change) {
      for (const reason of controller.volumeChanged(change)) {
        log.v(3).info("A volume's place is not known: no refresh of its capacity", { reason });
      }
    },
  };
}

/** All pairs each time the interval is over; the first round is that of the start, when all pairs are new. */
async function polling(
  { clock, signal }: Pick<CapacityContext, "clock" | "signal">,
  intervalMs: number,
  controller: CapacityController,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(intervalMs, signal).catch(() => undefined);
    if (!signal.aborted) controller.poll();
  }
}

/** Calls `act` once, a while after the first of several changes. */
function settling(clock: CapacityContext["clock"], ms: number, act: () => void) {
  let timer: ReturnType<typeof clock.after> | undefined;
  return {
    changed() {
      timer ??= clock.after(ms, () => {
        timer = undefined;
        act();
      });
    },
    cancel: () => timer?.cancel(),
  };
}
