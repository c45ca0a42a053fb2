import type { Clock } from "@csi-sidecars/base";
import { outOfTime, type ProbeResult } from "./probe-driver.ts";

export interface SharedProbeOptions {
  /** How long a check waits. */
  readonly budgetMs: number;
  readonly clock: Clock;
  probe(signal: AbortSignal): Promise<ProbeResult>;
}

interface Flight {
  readonly startedAt: number;
  readonly result: Promise<ProbeResult>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Concurrent checks share one probe (singleflight), so that a slow driver is not probed ever more often. Success counts for every
 * waiting check, because it came after they asked. Failure counts only for checks that arrived before the probe began: later ones
 * could have had more time, and get another probe.
 */
export class SharedProbe {
  readonly #options: SharedProbeOptions;
  #flight: Flight | undefined;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: SharedProbeOptions) {
    this.#options = options;
  }

  /** Never rejects. `signal` aborts when the client of this check goes away. */
  async check(signal: AbortSignal): Promise<ProbeResult> {
    const { clock, budgetMs } = this.#options;
    const asked = clock.monotonic();
    for (let attempt = 1; ; attempt++) {
      const joined = this.#flight;
      const flight = joined ?? this.#launch();
      // A probe that this check launched at once keeps to the budget by itself, and reports the reason when the budget is over.
      const leftMs = joined || attempt > 1 ? asked + budgetMs - clock.monotonic() : undefined;
      const result = await this.#follow(flight, leftMs, signal);
      if (result.healthy || signal.aborted || flight.startedAt >= asked || clock.monotonic() >= asked + budgetMs) return result;
    }
  }

  /** Resolves when no probe is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #launch(): Flight {
    const abort = new AbortController();
    const result = this.#options.probe(abort.signal).catch((error): ProbeResult => ({ healthy: false, problem: String(error) }));
    const flight: Flight = { startedAt: this.#options.clock.monotonic(), result, abort, waiting: 0 };
    this.#flight = flight;
    const ended = result.then(() => {
      this.#running.delete(ended);
      this.#leave(flight);
    });
    this.#running.add(ended);
    return flight;
  }

  async #follow(flight: Flight, leftMs: number | undefined, signal: AbortSignal): Promise<ProbeResult> {
    const { clock } = this.#options;
    const away = Promise.withResolvers<ProbeResult>();
    const leave = () => away.resolve({ healthy: false, problem: "context canceled" });
    const timer = leftMs === undefined ? undefined : clock.after(leftMs, () => away.resolve({ healthy: false, problem: outOfTime }));
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    flight.waiting++;
    try {
      return await Promise.race([flight.result, away.promise]);
    } finally {
      timer?.cancel();
      signal.removeEventListener("abort", leave);
      flight.waiting--;
      if (flight.waiting === 0) {
        this.#leave(flight);
        flight.abort.abort();
      }
    }
  }

  /** Checks that arrive from now on do not join it. */
  #leave(flight: Flight): void {
    if (this.#flight === flight) this.#flight = undefined;
  }
}
