import type { Clock, Logger } from "@csi-sidecars/base";
import {
  type Client,
  type EventRecorder,
  type Informers,
  isConflict,
  isNotFound,
  itemExponential,
  type Key,
  RateLimitingQueue,
  type Reconcile,
  retry,
} from "@csi-sidecars/kube";

/** What every controller is given. */
export interface ControllerContext {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** A recorder that speaks as the component named. */
  recorder(component: string): EventRecorder;
}

/** A queue and what is done with its keys. Handlers fill it from the moment it is made; the work begins when all caches are full. */
export interface Loop {
  readonly name: string;
  readonly queue: RateLimitingQueue;
  readonly reconcile: Reconcile;
  readonly concurrency: number;
}

/** Declares its caches and handlers at once, so that all controllers share one list and one watch per kind. */
export type Controller = (context: ControllerContext) => readonly Loop[];

export function loopQueue({ clock }: ControllerContext): RateLimitingQueue {
  return new RateLimitingQueue({ limiter: itemExponential<Key>(5, 10_000), clock });
}

/** Others write the same objects: a lost race is no failure, the next look decides on what is there then. */
export function forgiving(log: Logger, reconcile: Reconcile): Reconcile {
  return async (key, signal) => {
    try {
      return await reconcile(key, signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      log.v(4).info("Somebody else was faster", { key, error: String(error) });
      return retry;
    }
  };
}
