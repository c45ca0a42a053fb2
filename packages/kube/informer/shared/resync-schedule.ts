import type { Clock, Timer } from "@csi-sidecars/base";

const minPeriodMs = 1_000;
/** Timers may fire a moment early; without slack the handler would wait for one more check. */
const slackMs = 10;

/** The resync period of one handler and when it is due next. */
export interface HandlerResync {
  readonly period: number;
  next: number;
}

/**
 * Checks which handlers are due, at the shortest period requested before the start, as client-go does. Later handlers cannot
 * shorten it; if none requested a resync before the start, the first one that does sets the period.
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

  register(requested = 0): HandlerResync {
    if (requested <= 0) return { period: 0, next: Number.POSITIVE_INFINITY };
    let period = Math.max(requested, minPeriodMs);
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

  /** Periods count from now, also for handlers registered before. */
  start(handlers: Iterable<HandlerResync>): void {
    this.#started = true;
    const now = this.#clock.monotonic();
    for (const handler of handlers) if (handler.period > 0) handler.next = now + handler.period;
    if (this.#period > 0) this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Whether the handler is due; if so, it is due again after its period. */
  takeIfDue(handler: HandlerResync): boolean {
    const now = this.#clock.monotonic();
    if (now + slackMs < handler.next) return false;
    handler.next = now + handler.period;
    return true;
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#period, () => {
      this.#arm();
      this.#onCheck();
    });
  }
}
