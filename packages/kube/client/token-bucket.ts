import type { Clock, Timer } from "@csi-sidecars/base";
import { TransportError } from "../transport/transport.ts";

/** How many requests a client may send: `qps` sustained, `burst` at once. */
export interface RateLimit {
  readonly qps: number;
  readonly burst: number;
  /**
   * Up to this many waiting requests get their tokens at the same moment, none earlier than one by one. For background requests: a
   * process that wakes up for every single request spends several times its CPU on it. Default 1.
   */
  readonly together?: number;
}

export interface TakeOptions {
  readonly signal?: AbortSignal;
  /** As `monotonic()` of the bucket's clock: a token that would come later is not waited for. */
  readonly deadline?: number;
}

/** Delays requests to the client's rate limit. */
export interface RateLimiter {
  /** Takes a token. `undefined`: send at once. A promise: resolves with the waited milliseconds, in order of arrival. */
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

/** Rounding may leave a due token slightly below one. */
const almostOne = 1 - 1e-6;

/**
 * A bucket that starts full and is refilled continuously. Waiting requests are served in order; one that is cancelled takes no token,
 * so all behind it move up.
 */
export class TokenBucket implements RateLimiter {
  readonly #qps: number;
  readonly #burst: number;
  readonly #together: number;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
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
    if (this.#waiters.size === 0 && this.#tokens >= almostOne) {
      this.#tokens -= 1;
      return undefined;
    }
    const availableAt = now + this.#msUntil(this.#waiters.size + 1);
    if (options.deadline !== undefined && availableAt > options.deadline) return Promise.reject(tooLate());
    return this.#wait(now, options.signal);
  }

  #wait(since: number, signal: AbortSignal | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiters.delete(waiter);
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
      this.#waiters.add(waiter);
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

  /** One timer, for the first waiter, or for as many as are served together. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiters.size === 0) return;
    this.#refill();
    this.#timer = this.#clock.after(this.#msUntil(Math.min(this.#together, this.#waiters.size)), () => this.#serve());
  }

  #serve(): void {
    const now = this.#refill();
    for (const waiter of this.#waiters) {
      if (this.#tokens < almostOne) break;
      this.#tokens -= 1;
      this.#waiters.delete(waiter);
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
