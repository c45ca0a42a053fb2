import type { Clock } from "@csi-sidecars/base";
import type { CallOptions } from "../client/client.ts";
import type { ElectionTiming } from "./election-timing.ts";
import type { AttemptResult, LeaseLock } from "./lease-lock.ts";

/**
 * A lock whose attempts end in time. All calls of an attempt end at its deadline; a single one ends earlier, so that the next goes over
 * another connection while there is time left: a connection that died silently must not cost the lease.
 */
export class TimedLock {
  readonly #lock: LeaseLock;
  readonly #timing: ElectionTiming;
  readonly #clock: Clock;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(lock: LeaseLock, timing: ElectionTiming, clock: Clock) {
    this.#lock = lock;
    this.#timing = timing;
    this.#clock = clock;
  }

  acquire(signal: AbortSignal): Promise<AttemptResult> {
    return this.#within(this.#deadline(), signal, (call) => this.#lock.acquire(call));
  }

  renew(signal: AbortSignal, deadline = this.#deadline()): Promise<AttemptResult> {
    return this.#inTurn(() => this.#within(deadline, signal, (call) => this.#lock.renew(call)));
  }

  /** Whether the lease was given back. */
  release(): Promise<boolean> {
    const deadline = this.#deadline();
    return this.#inTurn(() => this.#within(deadline, undefined, (call) => this.#lock.release(call)));
  }

  #deadline(): number {
    return this.#clock.monotonic() + this.#timing.renewDeadlineMs;
  }

  async #within<R>(deadline: number, signal: AbortSignal | undefined, work: (call: CallOptions) => Promise<R>): Promise<R> {
    const over = new AbortController();
    const timer = this.#clock.after(deadline - this.#clock.monotonic(), () => over.abort(new Error("the renew deadline is over")));
    try {
      const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
      return await work({ signal: ends, deadline, timeoutMs: (this.#timing.renewDeadlineMs * 2) / 3 });
    } finally {
      timer.cancel();
    }
  }

  /** Writes to the Lease follow each other: two at a time would only get in each other's way. */
  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
