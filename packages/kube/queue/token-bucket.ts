/** A bucket that starts full with `burst` tokens and gains `perSecond` each second, never holding more than `burst`. */
export interface TokenBucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The level of a bucket at a moment; times are monotonic milliseconds given by the caller. */
export class TokenBucket {
  readonly #rate: TokenBucketRate;
  #tokens: number;
  #at: number;

  constructor(rate: TokenBucketRate, now: number) {
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

  /** Takes a token in any case and says how many milliseconds to wait until it would have been there. */
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
