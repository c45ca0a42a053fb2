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
const shortestWindow = 8;
const tooMany = 0.25;
const almostNone = 0.05;
/** So long without overload earns one step up, whatever else the calls came to: good calls may have to wait behind those. */
const quietMs = 60_000;

/**
 * Lowers the number of concurrent calls while the driver is overloaded, and raises it again up to `most` (`--worker-threads`).
 *
 * ```ts
 * const concurrency = new AdaptiveConcurrency(flags.workerThreads, (limit) => controller.setConcurrency(limit), clock);
 * concurrency.observe(loadSignal(error, queue.numRequeues(key)));
 * ```
 */
export class AdaptiveConcurrency {
  readonly #most: number;
  readonly #apply: (limit: number) => void;
  readonly #clock: Pick<Clock, "monotonic">;
  #window: ConcurrencyWindow;
  #quietSince: number;

  constructor(most: number, apply: (limit: number) => void, clock: Pick<Clock, "monotonic">) {
    this.#most = most;
    this.#apply = apply;
    this.#clock = clock;
    this.#window = newWindow(most);
    this.#quietSince = clock.monotonic();
    apply(most);
  }

  observe(signal: LoadSignal): void {
    const { limit } = this.#window;
    this.#window = windowAfter(this.#window, signal, this.#most);
    const now = this.#clock.monotonic();
    if (signal === "overloaded" || this.#window.limit === this.#most) this.#quietSince = now;
    for (; now - this.#quietSince >= quietMs; this.#quietSince += quietMs) {
      this.#window = newWindow(raised(this.#window.limit, this.#most));
    }
    if (this.#window.limit !== limit) this.#apply(this.#window.limit);
  }
}

/** How many consecutive failures of the same object count as overload. A timeout is the better sign, so it counts longer. */
const countedFailures: Readonly<Record<number, number>> = { [Code.ResourceExhausted]: 3, [Code.DeadlineExceeded]: 8, [Code.Aborted]: 8 };

/**
 * What an error says about the driver's load. An object that fails over and over, at whatever concurrency, waits for something else
 * and must not slow down the others.
 */
export function loadSignal(error: unknown, failuresBefore: number): LoadSignal {
  if (!(error instanceof GrpcError) || error.origin === "unsent") return "unrelated";
  return failuresBefore < (countedFailures[error.code] ?? 0) ? "overloaded" : "unrelated";
}

export function newWindow(limit: number): ConcurrencyWindow {
  return { limit, seen: 0, overloaded: 0 };
}

/**
 * What the end of a call means for the calls to come. Each time about as many calls ended as may run at once, a quarter or more of them
 * overloaded lowers the limit by 30 %; next to none raises it by half, up to `most`. In between, and for failures that have nothing
 * to do with load, nothing changes.
 */
export function windowAfter(window: ConcurrencyWindow, signal: LoadSignal, most: number): ConcurrencyWindow {
  if (signal === "unrelated") return window;
  const seen = window.seen + 1;
  const overloaded = window.overloaded + (signal === "overloaded" ? 1 : 0);
  if (seen < Math.max(shortestWindow, window.limit)) return { ...window, seen, overloaded };
  return newWindow(nextLimit(window.limit, overloaded / seen, most));
}

function nextLimit(limit: number, share: number, most: number): number {
  if (share >= tooMany) return Math.max(1, Math.floor(limit * 0.7));
  return share <= almostNone ? raised(limit, most) : limit;
}

function raised(limit: number, most: number): number {
  return Math.min(most, limit + Math.ceil(limit / 2));
}
