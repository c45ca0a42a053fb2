import type { Clock, Timer } from "@csi-sidecars/base";
import { TransportError } from "../transport/transport.ts";

/** How many requests a client may send: `qps` lasting, `burst` at once. */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
  /**
   * Up to so many of those who wait get their tokens at the same moment, none earlier and the first ones later than one by one. For
   * what nobody waits for: a process that wakes up for every single request spends several times its CPU on it. 1 unless told.
   */
  readonly together?: number;
}

export interface TakeOptions {
  readonly signal?: AbortSignal;
  /** As `monotonic()` of the bucket's clock: a token that would come later is not waited for. */
  readonly deadline?: number;
}

/** Whom a request asks before it is sent. */
export interface RateLimiter {
  /** Takes a token. `undefined`: taken, go on at once. A promise: resolves with the waited milliseconds, first come first served. */
  take(options?: TakeOptions): Promise<number> | undefined;
}

/**
 * What the flags `--kube-api-qps` and `--kube-api-burst` mean: 0 and 0 are the defaults 5 and 10, a negative qps is no limit at all
 * (`undefined`).
 */
export function effectiveLimit({ qps, burst, together }: RateLimit): RateLimit | undefined {
  if (qps < 0) return undefined;
  if ((qps > 0 && burst <= 0) || burst < 0) {
    throw new Error("burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0");
  }
  return { qps: qps || 5, burst: burst || 10, ...(together && { together }) };
}

/** For clients that rely on the server's priority and fairness alone. */
export const unlimited: RateLimiter = { take: () => undefined };

interface Waiter {
  readonly since: number;
  grant(waitedMs: number): void;
}

/** Rounding may leave a token that is due a hair short of one. */
const almostOne = 1 - 1e-6;

/**
 * A bucket that starts full and is refilled continuously. Those who wait stand in a line; who leaves it (cancelled) takes nothing
 * along, so all behind move up.
 */
export class TokenBucket implements RateLimiter {
  readonly #qps: number;
  readonly #burst: number;
  readonly #together: number;
  readonly #clock: Clock;
  readonly #line = new Set<Waiter>();
  #tokens: number;
  #filledAt: number;
  #timer: Timer | undefined;

  constructor(limit: RateLimit, clock: Clock) {
    this.#qps = limit.qps;
    this.#burst = limit.burst;
    this.#together = Math.min(limit.together ?? 1, limit.burst);
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#filledAt = clock.monotonic();
  }

  take(options: TakeOptions = {}): Promise<number> | undefined {
    const now = this.#refill();
    if (options.signal?.aborted) return Promise.reject(cancelled(options.signal));
    if (this.#line.size === 0 && this.#tokens >= almostOne) {
      this.#tokens -= 1;
      return undefined;
    }
    const availableAt = now + this.#msUntil(this.#line.size + 1);
    if (options.deadline !== undefined && availableAt > options.deadline) return Promise.reject(tooLate());
    return this.#wait(now, options.signal);
  }

  #wait(since: number, signal: AbortSignal | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#line.delete(waiter);
        this.#arm();
        if (signal) reject(cancelled(signal));
      };
      const waiter: Waiter = {
        since,
        grant(waitedMs) {
          signal?.removeEventListener("abort", leave);
          resolve(waitedMs);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#line.add(waiter);
      if (!this.#timer) this.#arm();
    });
  }

  #refill(): number {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) * this.#qps) / 1000);
    this.#filledAt = now;
    return now;
  }

  #msUntil(tokens: number): number {
    return Math.max(0, ((tokens - this.#tokens) * 1000) / this.#qps);
  }

  /** One timer, for the first in the line, or for as many as are served together. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#line.size === 0) return;
    this.#refill();
    this.#timer = this.#clock.after(this.#msUntil(Math.min(this.#together, this.#line.size)), () => this.#serve());
  }

  #serve(): void {
    const now = this.#refill();
    for (const waiter of this.#line) {
      if (this.#tokens < almostOne) break;
      this.#tokens -= 1;
      this.#line.delete(waiter);
      waiter.grant(now - waiter.since);
    }
    this.#arm();
  }
}

const waitFailed = "client rate limiter Wait returned an error:";

function tooLate(): TransportError {
  return new TransportError("timeout", `${waitFailed} rate: Wait(n=1) would exceed context deadline`);
}

function cancelled(signal: AbortSignal): TransportError {
  return new TransportError("aborted", `${waitFailed} context canceled`, { cause: signal.reason });
}
