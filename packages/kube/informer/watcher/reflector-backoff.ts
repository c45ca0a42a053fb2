import { type Backoff, backoffDelays, type Clock } from "@csi-sidecars/base";

const backoff: Backoff = { start: 800, factor: 2, cap: 30_000, jitter: 1 };
const resetAfterMs = 120_000;

/** client-go's reflector backoff: 0.8 s growing to 30 s with jitter, reset two minutes after the last reset. */
export class ReflectorBackoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #delays: Iterator<number, never>;
  #resetAt: number;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
    this.#delays = backoffDelays(backoff, random);
    this.#resetAt = clock.monotonic();
  }

  /** Rejects when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#resetAt > resetAfterMs) {
      this.#delays = backoffDelays(backoff, this.#random);
      this.#resetAt = now;
    }
    return this.#clock.sleep(this.#delays.next().value, signal);
  }
}
