import { type Clock, systemClock } from "@csi-sidecars/base";
import type { Key } from "../object.ts";

/** How long a key that failed has to wait. Every call of `when` counts as one more failure until `forget`. */
export interface RateLimiter<K = Key> {
  /** Milliseconds until the key may be retried. */
  when(key: K): number;
  forget(key: K): void;
  /** Failures since the last `forget`. */
  numRequeues(key: K): number;
}

/** `startMs`, twice that, four times ..., never above `maxMs`: what `--retry-interval-start` and `--retry-interval-max` mean. */
export function itemExponential<K = Key>(startMs: number, maxMs: number): RateLimiter<K> {
  return countingFailures((failures) => Math.min(startMs * 2 ** failures, maxMs));
}

/** One token bucket for all keys together, whichever key failed and however often. */
export function bucketLimiter<K = Key>(rate: BucketRate, clock: Clock = systemClock): RateLimiter<K> {
  const tokens = new PassiveBucket(rate, clock.monotonic());
  return { when: () => tokens.reserve(clock.monotonic()), forget() {}, numRequeues: () => 0 };
}

/** The longest delay of several limiters; all of them count the failure. */
export function maxOf<K = Key>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key) => Math.max(...limiters.map((limiter) => limiter.when(key))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => Math.max(...limiters.map((limiter) => limiter.numRequeues(key))),
  };
}

/** client-go's default: 5 ms up to 1000 s per key, and not more than 10 retries a second (100 at once) over all keys. */
export function defaultControllerLimiter<K = Key>(clock: Clock = systemClock): RateLimiter<K> {
  return maxOf(itemExponential<K>(5, 1_000_000), bucketLimiter<K>({ perSecond: 10, burst: 100 }, clock));
}

function countingFailures<K>(delay: (failuresBefore: number) => number): RateLimiter<K> {
  const failures = new Map<K, number>();
  return {
    when(key) {
      const before = failures.get(key) ?? 0;
      failures.set(key, before + 1);
      return delay(before);
    },
    forget: (key) => void failures.delete(key),
    numRequeues: (key) => failures.get(key) ?? 0,
  };
}

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
