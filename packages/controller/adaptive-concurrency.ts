import type { Clock } from "@csi-sidecars/base";
import { Code, GrpcError } from "@csi-sidecars/csi";

/** What the end of a call says about the driver's load. */
export type LoadSignal = "ok" | "overloaded" | "unrelated";

/** How many calls may run at a time, and what was seen since that was last decided. */
export interface ConcurrencyWindow {
  readonly limit: number;
  readonly seen: number;
  readonly overloaded: number;
}

/** The fewest calls after which the limit may change: one slow volume says nothing about the driver. */
const minWindow = 8;
/** From this share of overloaded calls on, the limit is lowered. */
const minShareToLower = 0.25;
/** Up to this share, it is raised. */
const maxShareToRaise = 0.05;
/** So long without overload earns one step up, whatever else the calls came to: good calls may have to wait behind those. */
const quietMs = 60_000;

/**
 * Lowers the number of concurrent calls while the driver is overloaded, and raises it again up to `max` (`--worker-threads`).
 *
 * ```ts
 * const concurrency = new AdaptiveConcurrency(flags.workerThreads, (limit) => controller.setConcurrency(limit), clock);
 * concurrency.observe(loadSignal(error, queue.numRequeues(key)));
 * ```
 */
export class AdaptiveConcurrency {
  readonly #max: number;
  readonly #apply: (limit: number) => void;
  readonly #clock: Pick<Clock, "monotonic">;
  #window: ConcurrencyWindow;
  #quietSince: number;

  constructor(max: number, apply: (limit: number) => void, clock: Pick<Clock, "monotonic">) {
    this.#max = max;
    this.#apply = apply;
    this.#clock = clock;
    this.#window = newWindow(max);
    this.#quietSince = clock.monotonic();
    apply(max);
  }

  observe(signal: LoadSignal): void {
    const { limit } = this.#window;
    this.#window = windowAfter(this.#window, signal, this.#max);
    const now = this.#clock.monotonic();
    if (signal === "overloaded" || this.#window.limit === this.#max) this.#quietSince = now;
    for (; now - this.#quietSince >= quietMs; this.#quietSince += quietMs) {
      this.#window = newWindow(raised(this.#window.limit, this.#max));
    }
    if (this.#window.limit !== limit) this.#apply(this.#window.limit);
  }
}

/** How many consecutive failures of the same object count as overload. A timeout is the better sign, so it counts longer. */
const countedFailures: Readonly<Record<number, number>> = { [Code.ResourceExhausted]: 3, [Code.DeadlineExceeded]: 8, [Code.Aborted]: 8 };

/**
 * What an error says about the driver's load. That it has no room, only the driver can say: an answer too large to be read has the same
 * code. An object that fails over and over, at whatever concurrency, waits for something else
 * and must not slow down the others.
 */
export function loadSignal(error: unknown, failuresBefore: number): LoadSignal {
  if (!(error instanceof GrpcError) || error.origin === "unsent") return "unrelated";
  if (error.code === Code.ResourceExhausted && error.origin !== "peer") return "unrelated";
  return failuresBefore < (countedFailures[error.code] ?? 0) ? "overloaded" : "unrelated";
}

export function newWindow(limit: number): ConcurrencyWindow {
  return { limit, seen: 0, overloaded: 0 };
}

/**
 * What the end of a call means for the calls to come. Each time about as many calls ended as may run at once, a quarter or more of them
 * overloaded lowers the limit by 30 %; next to none raises it by half, up to `max`. In between, and for failures that have nothing
 * to do with load, nothing changes.
 */
export function windowAfter(window: ConcurrencyWindow, signal: LoadSignal, max: number): ConcurrencyWindow {
  if (signal === "unrelated") return window;
  const seen = window.seen + 1;
  const overloaded = window.overloaded + (signal === "overloaded" ? 1 : 0);
  if (seen < Math.max(minWindow, window.limit)) return { ...window, seen, overloaded };
  return newWindow(nextLimit(window.limit, overloaded / seen, max));
}

function nextLimit(limit: number, share: number, max: number): number {
  if (share >= minShareToLower) return Math.max(1, Math.floor(limit * 0.7));
  return share <= maxShareToRaise ? raised(limit, max) : limit;
}

function raised(limit: number, max: number): number {
  return Math.min(max, limit + Math.ceil(limit / 2));
}
