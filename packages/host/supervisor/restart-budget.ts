import type { Clock } from "@csi-sidecars/base";

const windowMs = 600_000;
const firstDelayMs = 1_000;
const longestDelayMs = 60_000;

/** Decides when a component that failed may start again, and when it is given up. */
export class RestartBudget {
  readonly #clock: Clock;
  readonly #limit: number;
  #restarts: readonly number[] = [];
  #streak = 0;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** `limit`: how many restarts there may be within ten minutes. */
  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Takes note of a failure: how long to wait before the restart, or `undefined` when there were too many. */
  failed(): number | undefined {
    const now = this.#clock.monotonic();
    if (now - this.#failedAt >= windowMs) this.#streak = 0;
    this.#failedAt = now;
    this.#restarts = this.#restarts.filter((at) => now - at < windowMs);
    if (this.#restarts.length >= this.#limit) return undefined;
    this.#restarts = [...this.#restarts, now];
    return Math.min(longestDelayMs, firstDelayMs * 2 ** this.#streak++);
  }
}
