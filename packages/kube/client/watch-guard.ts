import type { Clock, Timer } from "@csi-sidecars/base";
import { TransportError } from "../transport/transport.ts";

/**
 * Ends a watch from this side: when its caller gives up, or when it outlives the time after which the server was to close it.
 * Without the latter a half-open connection would look like a quiet cluster forever.
 */
export class WatchGuard {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #caller: AbortSignal | undefined;
  readonly #onCallerAbort = () => this.#controller.abort(this.#caller?.reason);
  #timer: Timer | undefined;
  #expired: TransportError | undefined;
  #ended = false;

  constructor(clock: Clock, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.#caller = caller;
    if (caller?.aborted) this.#onCallerAbort();
    else caller?.addEventListener("abort", this.#onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time: the watch ends `ms` from now at the latest. */
  limit(ms: number, what: string): void {
    this.#timer = this.#clock.after(ms, () => {
      this.#expired = new TransportError(
        "timeout",
        `${what}: the server did not end the watch within ${ms / 1000} s, the connection seems to be half open`,
      );
      this.#controller.abort(this.#expired);
    });
  }

  /** The reader wants no more: what the connection says from now on is no error. */
  end(): void {
    this.#ended = true;
    this.#controller.abort();
    this.release();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The error to report in place of `error`, which may only be the echo of our own abort. */
  explain(error: unknown): unknown {
    return this.#expired ?? error;
  }

  /** The watch is over: nothing is left behind. */
  release(): void {
    this.#timer?.cancel();
    this.#caller?.removeEventListener("abort", this.#onCallerAbort);
  }
}
