import { systemClock } from "@csi-sidecars/base";
import type { Key } from "../object.ts";
import { DelayedAdds } from "./delayed-adds.ts";
import type { QueueMetrics } from "./queue-metrics.ts";
import type { RateLimiter } from "./rate-limiters.ts";
import { type Priority, WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

export interface RateLimitingQueueOptions<K> extends WorkQueueOptions {
  readonly limiter: RateLimiter<K>;
}

/**
 * A work queue whose keys can also be added after a delay: a given one, or one that grows with the key's failures.
 *
 * ```ts
 * const queue = new RateLimitingQueue({ limiter: itemExponential(1_000, 300_000), metrics: metrics.forQueue("csi-attacher-va") });
 * ```
 */
export class RateLimitingQueue<K extends NonNullable<unknown> = Key> extends WorkQueue<K> {
  readonly metrics: QueueMetrics | undefined;
  readonly #limiter: RateLimiter<K>;
  readonly #delayed: DelayedAdds<K>;

  constructor(options: RateLimitingQueueOptions<K>) {
    super(options);
    this.#limiter = options.limiter;
    this.metrics = options.metrics;
    this.#delayed = new DelayedAdds(options.clock ?? systemClock, (key, priority) => this.add(key, priority));
  }

  /** Keys whose delay has not passed yet. */
  get delayed(): number {
    return this.#delayed.length;
  }

  /** Adds the key `ms` from now. A key that already waits keeps the earlier time; `ms` <= 0 adds at once. */
  addAfter(key: K, ms: number, priority: Priority = "normal"): void {
    if (this.shuttingDown) return;
    this.metrics?.retried();
    if (ms <= 0) this.add(key, priority);
    else this.#delayed.schedule(key, ms, priority);
  }

  /** Adds the key after the delay its limiter gives it, and counts one more failure. */
  addRateLimited(key: K, priority: Priority = "normal"): void {
    this.addAfter(key, this.#limiter.when(key), priority);
  }

  /** Resets the backoff of a key that succeeded. A delayed addition of it stays. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  /** Adds the keys that wait because they failed now, without their failures: what they failed of is over. */
  retryNow(): void {
    this.#delayed.addNow((key) => {
      const failed = this.numRequeues(key) > 0;
      if (failed) this.forget(key);
      return failed;
    });
  }

  numRequeues(key: K): number {
    return this.#limiter.numRequeues(key);
  }

  /** Also drops the delayed keys. */
  override shutDown(): void {
    super.shutDown();
    this.#delayed.clear();
  }
}
