import type { Clock, Logger } from "@csi-sidecars/base";
import { Controller, type ControllerOptions, type ObjectEvents, type Reconcile, retry } from "@csi-sidecars/controller";
import { type Client, type EventRecorder, type Informers, isConflict, isNotFound, itemExponential, type Key } from "@csi-sidecars/kube";

/** What every controller of the cluster is given. */
export interface ClusterContext {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** A recorder whose events name this component as their source. */
  recorder(component: string): EventRecorder;
}

/**
 * A controller of the cluster. It declares its caches and handlers at once, so that all controllers share one list and one watch per
 * kind, and returns what runs it until the signal aborts.
 */
export type ClusterController = (context: ClusterContext) => (signal: AbortSignal) => Promise<void>;

/** The queue and workers of a controller of the cluster. A stop aborts the work in progress. */
export function newController(
  { clock, log }: ClusterContext,
  options: Pick<ControllerOptions<Key>, "name" | "workers" | "waitFor">,
): Controller {
  return new Controller({ clock, log: log.named(options.name) }, { ...options, rateLimiter: itemExponential<Key>(5, 10_000), drainMs: 0 });
}

/** Others write the same objects: a lost race is no failure, the next reconcile decides on what is there then. */
export function retryOnConflict(log: Logger, reconcile: Reconcile): Reconcile {
  return async (key, signal) => {
    try {
      return await reconcile(key, signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      log.v(4).info("Object was changed by somebody else, will be retried", { key, error: String(error) });
      return retry;
    }
  };
}

/** An event about an object, as data. */
export interface PlannedEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export function emit(events: ObjectEvents, object: Parameters<ObjectEvents["normal"]>[0], { type, reason, message }: PlannedEvent): void {
  if (type === "Normal") events.normal(object, reason, message);
  else events.warning(object, reason, message);
}
