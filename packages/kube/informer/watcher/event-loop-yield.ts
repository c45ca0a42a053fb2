import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@csi-sidecars/base";

const maxTurnMs = 10;
const stepsBetweenChecks = 128;

/**
 * Yields to the event loop during long synchronous runs: otherwise a big list would delay timers, and with them the renewal of
 * leases.
 */
export class EventLoopYield {
  readonly #clock: Clock;
  #steps = 0;
  #turnStarted: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turnStarted = clock.monotonic();
  }

  /** Call after each step, and await the result if there is one. */
  step(): Promise<void> | undefined {
    if (++this.#steps % stepsBetweenChecks !== 0 || this.#clock.monotonic() - this.#turnStarted <= maxTurnMs) return undefined;
    return this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#turnStarted = this.#clock.monotonic();
  }
}
