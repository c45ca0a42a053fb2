import type { Clock, Logger, Timer } from "@csi-sidecars/base";

const minIntervalMs = 60_000;

/** Logs dropped events: the first at once, then at most once a minute how many more there were. */
export class DroppedEventsLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #events = 0;
  #because = "";
  #next: Timer | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  add(because: string): void {
    this.#events++;
    this.#because = because;
    const waitMs = this.#loggedAt + minIntervalMs - this.#clock.monotonic();
    if (waitMs <= 0) this.flush();
    else this.#next ??= this.#clock.after(waitMs, () => this.flush());
  }

  /** Logs what was not logged yet. */
  flush(): void {
    this.#next?.cancel();
    this.#next = undefined;
    if (this.#events === 0) return;
    this.#log.error(new Error(this.#because), "Events were dropped", { events: this.#events });
    this.#loggedAt = this.#clock.monotonic();
    this.#events = 0;
  }
}
