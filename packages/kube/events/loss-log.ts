import type { Clock, Logger } from "@csi-sidecars/base";

const linesApartMs = 60_000;

/** Says that events get lost, once a minute with their number, however many it are. */
export class LossLog {
  readonly #clock: Clock;
  readonly #log: Logger;
  #saidAt = Number.NEGATIVE_INFINITY;
  #events = 0;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  lost(because: string): void {
    this.#events++;
    if (this.#clock.monotonic() - this.#saidAt < linesApartMs) return;
    this.#log.error(new Error(because), "Events are lost", { events: this.#events });
    this.#saidAt = this.#clock.monotonic();
    this.#events = 0;
  }
}
