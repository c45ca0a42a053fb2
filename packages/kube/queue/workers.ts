import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import type { Key } from "../object.ts";
import type { RateLimitingQueue } from "./rate-limiting-queue.ts";
import { isAbort, type Reconcile } from "./reconcile-result.ts";

export interface WorkersOptions<K extends NonNullable<unknown> = Key> {
  readonly queue: RateLimitingQueue<K>;
  readonly reconcile: Reconcile<K>;
  /** How many keys are reconciled at the same time. */
  readonly concurrency: number;
  /** How long running reconciles may continue after the stop before they are aborted; without limit by default. */
  readonly drainMs?: number;
  /** Log fields for a key, beside the key itself: for keys that mean nothing to people. */
  readonly logFields?: (key: K) => Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** Yields to the event loop after this many keys: a long queue of keys that need nothing must not delay a lease renewal. */
const keysBetweenYields = 64;

/** Reconciles the keys of a queue, at most `concurrency` at a time. The number can be changed while it runs. */
export class Workers<K extends NonNullable<unknown> = Key> {
  readonly #options: WorkersOptions<K>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #work = new AbortController();
  #concurrency: number;
  #running = 0;
  #slotChanged: (() => void) | undefined;

  constructor(options: WorkersOptions<K>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    this.#concurrency = options.concurrency;
  }

  get running(): number {
    return this.#running;
  }

  /** A higher number takes effect at once, a lower one as running reconciles end. Zero pauses. */
  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#slotChanged?.();
  }

  /** Aborts the running reconciles. To be called with, or after, the stop. */
  abort(reason?: unknown): void {
    this.#work.abort(reason);
  }

  /**
   * Runs until the signal aborts or the queue is shut down and empty, then waits for the running reconciles.
   * After an abort the queue is shut down; keys that still wait in it are found again by the next start.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { queue, drainMs } = this.#options;
    const stop = () => {
      queue.shutDown();
      this.#slotChanged?.();
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    for (let taken = 0; !signal.aborted; ) {
      if (this.#running >= this.#concurrency) {
        await this.#slotChange();
        continue;
      }
      const key = queue.take();
      if (key === undefined) {
        if (queue.shuttingDown) break;
        await queue.available();
        continue;
      }
      void this.#process(key);
      if (++taken % keysBetweenYields === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    signal.removeEventListener("abort", stop);
    const deadline =
      drainMs === undefined
        ? undefined
        : this.#clock.after(drainMs, () => this.abort(new Error(`not finished ${drainMs} ms after the stop`)));
    while (this.#running > 0) await this.#slotChange();
    deadline?.cancel();
  }

  async #process(key: K): Promise<void> {
    const { queue, reconcile, logFields } = this.#options;
    this.#running++;
    try {
      const result = await reconcile(key, this.#work.signal);
      if (result.next === "retry") {
        queue.addRateLimited(key, queue.priorityOf(key));
      } else if (result.next !== "blocked") {
        queue.forget(key);
        if (result.next === "requeue") queue.addAfter(key, result.afterMs, result.priority ?? queue.priorityOf(key));
      }
    } catch (error) {
      if (this.#work.signal.aborted) {
        this.#log.v(4).info("Reconcile was aborted", { key });
      } else if (isAbort(error)) {
        queue.addRateLimited(key, queue.priorityOf(key));
        this.#log.v(4).info("Reconcile was canceled", { key, reason: String(error) });
      } else {
        queue.metrics?.failed();
        queue.addRateLimited(key, queue.priorityOf(key));
        this.#log.error(error, "Sync failed, will be retried", { ...logFields?.(key), key, failures: queue.numRequeues(key) });
      }
    } finally {
      queue.done(key);
      this.#running--;
      this.#slotChanged?.();
    }
  }

  #slotChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#slotChanged = resolve;
    });
  }
}
