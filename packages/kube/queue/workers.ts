import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import type { Key } from "../object.ts";
import { isAbort } from "./abort.ts";
import type { RateLimitingQueue } from "./rate-limiting-queue.ts";
import type { Reconcile } from "./reconcile-result.ts";

export interface WorkersOptions<K extends NonNullable<unknown> = Key> {
  readonly queue: RateLimitingQueue<K>;
  readonly reconcile: Reconcile<K>;
  /** How many keys are worked on at the same time. */
  readonly concurrency: number;
  /** How long work in progress may go on after the stop before it is aborted; without limit unless told. */
  readonly drainMs?: number;
  /** What the log says about a key beside the key itself: for keys that tell people nothing. */
  readonly describe?: (key: K) => Readonly<Record<string, unknown>>;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** After so many keys other things get a turn: a long queue of keys that need nothing must not hold up a lease renewal. */
const keysBetweenTurns = 64;

/** Works off a queue, at most `concurrency` keys at a time. The number can be changed while it runs. */
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

  /** Takes effect at once when raised; when lowered, as running work ends. Zero pauses. */
  setConcurrency(concurrency: number): void {
    this.#concurrency = concurrency;
    this.#slotChanged?.();
  }

  /** Aborts the work in progress, for good: nobody wants its result any more. Comes with, or after, the stop. */
  abort(reason?: unknown): void {
    this.#work.abort(reason);
  }

  /**
   * Works until the signal aborts or the queue is shut down and empty, then waits for the work in progress.
   * After an abort the queue is shut down and what still waits in it is left alone: the next start finds it again.
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
      if (++taken % keysBetweenTurns === 0) await new Promise<void>((resolve) => setImmediate(resolve));
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
    const { queue, reconcile, describe } = this.#options;
    this.#running++;
    try {
      const result = await reconcile(key, this.#work.signal);
      if (result.then === "retry") {
        queue.addRateLimited(key, queue.priorityOf(key));
      } else if (result.then !== "wait") {
        queue.forget(key);
        if (result.then === "requeue") queue.addAfter(key, result.afterMs, queue.priorityOf(key));
      }
    } catch (error) {
      if (this.#work.signal.aborted) {
        this.#log.v(4).info("Work was aborted", { key });
      } else if (isAbort(error)) {
        queue.addRateLimited(key, queue.priorityOf(key));
        this.#log.v(4).info("Work was refused", { key, why: String(error) });
      } else {
        queue.metrics?.failed();
        queue.addRateLimited(key, queue.priorityOf(key));
        this.#log.error(error, "Sync failed, will be tried again", { ...describe?.(key), key, failures: queue.numRequeues(key) });
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
