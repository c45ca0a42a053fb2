import type { VolumeChecks } from "./volume-checks.ts";

/** How the checks of a round went. */
interface Outcome {
  answers: number;
  failures: number;
  firstFailure?: { readonly PV: string; readonly error: unknown };
}

export interface Round {
  answered(): void;
  failed(volume: string, error: unknown): void;
  /** All volumes were asked about. */
  end(): void;
}

/** A round that takes so much longer than the interval is told: it is the calls that take the time then. */
const lateFactor = 1.5;

/** Rounds of checks, each of every volume. All failures of a round are one line in the log: a driver that fails may have many volumes. */
export class Rounds {
  readonly #c: Pick<VolumeChecks, "metrics" | "clock" | "log">;
  readonly #intervalMs: number;
  #wasLate = false;

  constructor(c: Pick<VolumeChecks, "metrics" | "clock" | "log">, intervalMs: number) {
    this.#c = c;
    this.#intervalMs = intervalMs;
  }

  begin(): Round {
    const { metrics, clock, log } = this.#c;
    const began = clock.monotonic();
    const pass = metrics.beginPass();
    const outcome: Outcome = { answers: 0, failures: 0 };
    return {
      answered() {
        outcome.answers++;
      },
      failed(PV, error) {
        metrics.checkFailed();
        outcome.failures++;
        outcome.firstFailure ??= { PV, error };
        log.v(4).info("Check controller volume status error", { PV, err: error });
      },
      end: () => {
        const { answers, failures, firstFailure } = outcome;
        if (answers > 0 || failures === 0) pass.succeeded();
        else pass.failed();
        if (firstFailure) {
          const { PV, error } = firstFailure;
          log.error(error, "Check controller volume status error", { PV, failed: failures, checked: answers + failures });
        }
        this.#noteLateness(clock.monotonic() - began);
      },
    };
  }

  #noteLateness(tookMs: number): void {
    const isLate = tookMs > this.#intervalMs * lateFactor;
    if (isLate && !this.#wasLate) {
      this.#c.log.info("Checking all volumes takes longer than the interval: they are checked less often", {
        ...{ tookMs: Math.round(tookMs), intervalMs: this.#intervalMs },
      });
    }
    this.#wasLate = isLate;
  }
}
