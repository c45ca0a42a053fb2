import type { Pass } from "./check-metrics.ts";
import type { VolumeChecks } from "./volume-checks.ts";

/** How the checks went that ended in a round. */
interface Outcome {
  began: number;
  readonly pass: Pass;
  answers: number;
  failures: number;
  firstFailure?: { readonly PV: string; readonly error: unknown };
}

/** A round that takes so much longer than the interval is told: it is the calls that take the time then. */
const lateFactor = 1.5;

/**
 * Rounds of checks, each of every volume. All failures of a round are one line in the log: a driver that fails may have many volumes. A
 * call that takes longer than its round counts in the one in which it ends.
 */
export class Rounds {
  readonly #c: Pick<VolumeChecks, "metrics" | "clock" | "log">;
  readonly #intervalMs: number;
  #round: Outcome;
  /** Calls that the driver has not answered yet. */
  #unanswered = 0;
  #wasLate = false;

  /** Begins the first round. */
  constructor(c: Pick<VolumeChecks, "metrics" | "clock" | "log">, intervalMs: number) {
    this.#c = c;
    this.#intervalMs = intervalMs;
    this.#round = this.#newRound();
  }

  /** Waits; that time is none of the round's. */
  async pausedUntil(end: Promise<void>): Promise<void> {
    const { clock } = this.#c;
    const since = clock.monotonic();
    await end;
    const ms = clock.monotonic() - since;
    this.#round.began += ms;
    this.#round.pass.paused(ms);
  }

  /** The driver is asked about a volume. */
  asked(): void {
    this.#unanswered++;
  }

  answered(): void {
    this.#unanswered--;
    this.#round.answers++;
  }

  failed(PV: string, error: unknown): void {
    const { metrics, log } = this.#c;
    this.#unanswered--;
    metrics.checkFailed();
    this.#round.failures++;
    this.#round.firstFailure ??= { PV, error };
    log.v(4).info("Check controller volume status error", { PV, err: error });
  }

  /** All volumes were asked about: the next round begins. */
  next(): void {
    const { clock, log } = this.#c;
    const { began, pass, answers, failures, firstFailure } = this.#round;
    if (answers > 0 || failures + this.#unanswered === 0) pass.succeeded();
    else pass.failed();
    if (firstFailure) {
      const { PV, error } = firstFailure;
      log.error(error, "Check controller volume status error", { PV, failed: failures, checked: answers + failures });
    }
    this.#noteLateness(clock.monotonic() - began);
    this.#round = this.#newRound();
  }

  #newRound(): Outcome {
    const { metrics, clock } = this.#c;
    return { began: clock.monotonic(), pass: metrics.beginPass(), answers: 0, failures: 0 };
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
