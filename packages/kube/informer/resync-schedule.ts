import type { Clock, Timer } from "@csi-sidecars/base";

const shortestPeriod = 1_000;
/** Timers may fire a moment early; without it a handler would then wait for one more check. */
const slack = 10;

/** When a handler is next told about everything again. */
export interface ResyncTurn {
  readonly period: number;
  next: number;
}

/**
 * Looks at the smallest period asked for before the start which handlers are due. Later handlers cannot make it smaller; if none
 * asked before the start, the first one that does afterwards fixes it.
 */
export class ResyncSchedule {
  readonly #clock: Clock;
  readonly #onCheck: () => void;
  #period = 0;
  #started = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, onCheck: () => void) {
    this.#clock = clock;
    this.#onCheck = onCheck;
  }

  join(requested = 0): ResyncTurn {
    if (requested <= 0) return { period: 0, next: Number.POSITIVE_INFINITY };
    let period = Math.max(requested, shortestPeriod);
    if (this.#period === 0) {
      this.#period = period;
      if (this.#started) this.#arm();
    } else if (this.#started) {
      period = Math.max(period, this.#period);
    } else {
      this.#period = Math.min(period, this.#period);
    }
    return { period, next: this.#clock.monotonic() + period };
  }

  /** From now on time counts, for those who joined before too. */
  start(turns: Iterable<ResyncTurn>): void {
    this.#started = true;
    const now = this.#clock.monotonic();
    for (const turn of turns) if (turn.period > 0) turn.next = now + turn.period;
    if (this.#period > 0) this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Whether it is the handler's turn; if so, the next one is a period away. */
  take(turn: ResyncTurn): boolean {
    const now = this.#clock.monotonic();
    if (now + slack < turn.next) return false;
    turn.next = now + turn.period;
    return true;
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#period, () => {
      this.#arm();
      this.#onCheck();
    });
  }
}
