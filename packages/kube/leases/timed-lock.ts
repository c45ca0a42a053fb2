import type { Clock } from "@csi-sidecars/base";
import type { CallOptions } from "../client/client.ts";
import { type ElectionTiming, givesUpAfterMs } from "./leader-elector-options.ts";
import type { AttemptResult, LeaseLock } from "./lease-lock.ts";

/** The kubelet kills a process 30 s after it has asked it to end, unless the pod says otherwise. */
const maxReleaseMs = 10_000;

/**
 * Limits the attempts of a lock. All requests of an attempt end at its deadline; a single one times out earlier, so that the next uses
 * another connection while there is time left: a connection that died silently must not cost the lease.
 */
export class TimedLock {
  readonly #lock: LeaseLock;
  readonly #timing: ElectionTiming;
  readonly #clock: Clock;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(lock: LeaseLock, timing: ElectionTiming, clock: Clock) {
    this.#lock = lock;
    this.#timing = timing;
    this.#clock = clock;
  }

  acquire(signal: AbortSignal): Promise<AttemptResult> {
    return this.#within(this.#deadline(), signal, (call) => this.#lock.acquire(call));
  }

  /** Ends when the leader has to give up: {@link givesUpAfterMs} after the last confirmed renewal. */
  renew(signal: AbortSignal): Promise<AttemptResult> {
    const deadline = () => this.#clock.monotonic() + givesUpAfterMs(this.#timing) - this.#lock.sinceRenewalMs;
    return this.#serialize(() => this.#within(deadline(), signal, (call) => this.#lock.renew(call)));
  }

  /** Whether the lease was released. A process that is asked to end does not wait for that as long as a patient election would. */
  release(): Promise<boolean> {
    const deadline = this.#clock.monotonic() + Math.min(this.#timing.renewDeadlineMs, maxReleaseMs);
    return this.#serialize(() => this.#within(deadline, undefined, (call) => this.#lock.release(call)));
  }

  #deadline(): number {
    return this.#clock.monotonic() + this.#timing.renewDeadlineMs;
  }

  async #within<R>(deadline: number, signal: AbortSignal | undefined, work: (call: CallOptions) => Promise<R>): Promise<R> {
    const over = new AbortController();
    const leftMs = Math.max(0, deadline - this.#clock.monotonic());
    const timer = this.#clock.after(leftMs, () => over.abort(new Error("the renew deadline has passed")));
    try {
      const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
      return await work({ signal: ends, deadline, timeoutMs: (leftMs * 2) / 3 });
    } finally {
      timer.cancel();
    }
  }

  /** Serializes the writes to the Lease: two at a time would only conflict. */
  #serialize<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#lastWrite.then(work);
    this.#lastWrite = result.catch(() => undefined);
    return result;
  }
}
