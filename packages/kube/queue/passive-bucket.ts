/** A bucket that starts full with `burst` tokens and gains `perSecond` each second, never holding more than `burst`. */
export interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket that never waits: the caller decides what to do without a token, and passes in monotonic milliseconds. */
export class PassiveBucket {
  readonly #rate: BucketRate;
  #tokens: number;
  #at: number;

  constructor(rate: BucketRate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Takes a token if there is one. */
  tryTake(now: number): boolean {
    this.#refill(now);
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes a token in any case and returns how many milliseconds to wait for it. */
  reserve(now: number): number {
    this.#refill(now);
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#rate.perSecond) * 1000;
  }

  #refill(now: number): void {
    const gained = (Math.max(0, now - this.#at) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + gained);
    this.#at = now;
  }
}
