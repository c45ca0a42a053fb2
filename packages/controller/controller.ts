import type { Clock, Logger } from "@csi-sidecars/base";
import type { Availability } from "@csi-sidecars/csi";
import {
  itemExponential,
  type Key,
  type Priority,
  type RateLimiter,
  RateLimitingQueue,
  type Reconcile,
  type View,
  Workers,
  type WorkersOptions,
  type WorkQueueMetrics,
} from "@csi-sidecars/kube";

/** What a controller needs of its surroundings: a `ComponentContext` has it all. */
export interface ControllerContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly queueMetrics?: WorkQueueMetrics;
  /** Aborts the work in progress: together with the stop, or while it drains. */
  readonly abort?: AbortSignal;
}

export interface ControllerOptions<K> {
  /** The queue's name in the `workqueue_*` metrics. */
  readonly name: string;
  /** How long a key that failed waits. */
  readonly rateLimiter: RateLimiter<K>;
  /** How many keys are reconciled at the same time. */
  readonly workers: number;
  /** The caches that must have synced before the first key is reconciled; those that are `undefined` are not used. */
  readonly waitFor?: readonly (Synced | undefined)[];
  /**
   * For work that consists of calls to the driver: while it is away no key is taken, and when it is back keys that failed are retried at
   * once. So no request is planned that would be stale when it is sent, and no backoff grows meanwhile.
   */
  readonly driver?: Availability;
  /** How long work in progress may take after a stop before its signal aborts; without limit unless told. */
  readonly drainMs?: number;
  /** What the log says about a key that means nothing to people, such as a uid. */
  readonly logFields?: WorkersOptions<NonNullable<K>>["logFields"];
}

type Synced = Pick<View<never>, "waitForSync">;

/**
 * A control loop: a rate-limited queue of keys, and workers that reconcile them once the caches have synced. The queue exists from the
 * start, so that event handlers can fill it and the reconcilers of several controllers can enqueue each other's keys; the reconciler
 * comes with `run`.
 *
 * ```ts
 * const volumes = new Controller(context, { name: "csi-attacher-pv", rateLimiter: retryRateLimiter(flags), workers: 10, waitFor: [view] });
 * view.addHandler({ onAdd: (volume) => volumes.enqueue(volume.metadata.name) });
 * await volumes.run(reconcileVolume(c), signal);
 * ```
 */
export class Controller<K extends NonNullable<unknown> = Key> {
  readonly queue: RateLimitingQueue<K>;
  readonly #context: ControllerContext;
  readonly #options: ControllerOptions<K>;
  #workers: Workers<K> | undefined;
  #concurrency: number;

  constructor(context: ControllerContext, options: ControllerOptions<K>) {
    const { clock, queueMetrics } = context;
    this.#context = context;
    this.#options = options;
    this.#concurrency = options.workers;
    this.queue = new RateLimitingQueue<K>({
      clock,
      limiter: options.rateLimiter,
      ...(queueMetrics && { metrics: queueMetrics.forQueue(options.name) }),
    });
  }

  readonly enqueue = (key: K, priority: Priority = "normal"): void => this.queue.add(key, priority);

  /** How many keys may be reconciled at the same time from now on. */
  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#applyConcurrency();
  }

  #applyConcurrency(): void {
    this.#workers?.setConcurrency(this.#options.driver?.available === false ? 0 : this.#concurrency);
  }

  /** Reconciles until the signal aborts and the work in progress has ended. Rejects when a cache cannot sync. */
  async run(reconcile: Reconcile<K>, signal: AbortSignal): Promise<void> {
    const { waitFor = [], drainMs, logFields } = this.#options;
    const { clock, log, abort } = this.#context;
    if (!(await waitForCacheSync(waitFor, signal))) return this.queue.shutDown();
    const workers = new Workers<K>({
      ...{ queue: this.queue, reconcile, concurrency: this.#concurrency, clock, log },
      ...(drainMs !== undefined && { drainMs }),
      ...(logFields && { logFields }),
    });
    this.#workers = workers;
    this.#applyConcurrency();
    const stop = this.#options.driver?.subscribe((available) => {
      this.#applyConcurrency();
      if (available) this.queue.retryNow();
    });
    const cancel = () => workers.abort(abort?.reason);
    abort?.addEventListener("abort", cancel, { once: true });
    if (abort?.aborted) cancel();
    try {
      await workers.run(signal);
    } finally {
      abort?.removeEventListener("abort", cancel);
      stop?.();
    }
  }
}

/** The values of `--retry-interval-start` and `--retry-interval-max`, in milliseconds. */
export interface RetryIntervals {
  readonly retryIntervalStart: number;
  readonly retryIntervalMax: number;
}

/** The rate limiter that the retry flags ask for. Each controller needs one of its own, as it counts the failures of keys. */
export function retryRateLimiter<K = Key>({ retryIntervalStart, retryIntervalMax }: RetryIntervals): RateLimiter<K> {
  return itemExponential(retryIntervalStart, retryIntervalMax);
}

/** Waits for all caches; `false` when the signal aborts first. */
export async function waitForCacheSync(caches: readonly (Synced | undefined)[], signal: AbortSignal): Promise<boolean> {
  try {
    await Promise.all(caches.map((cache) => cache?.waitForSync(signal)));
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** The parts of a component as one: ends when all have ended. A part that fails because of the stop has not failed. */
export async function runAll(parts: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  await Promise.all(
    parts.map((part) =>
      part.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
    ),
  );
}
