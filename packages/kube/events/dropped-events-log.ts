import type { Clock, Logger } from "@csi-sidecars/base";

const minIntervalMs = 60_000;

/** Logs dropped events, at most once a minute with their number. */
export class DroppedEventsLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #events = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  add(because: string): void {
    this.#events++;
    if (this.#clock.monotonic() - this.#loggedAt < minIntervalMs) return;
    this.#log.error(new Error(because), "Events were dropped", { events: this.#events });
    this.#loggedAt = this.#clock.monotonic();
    this.#events = 0;
  }
}
