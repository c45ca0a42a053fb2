import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@csi-sidecars/base";

const longestTurn = 10;
const stepsBetweenLooks = 128;

/**
 * Makes pauses in long runs of steps that never wait for anything: without them a big list would keep timers, and with them
 * the renewal of leases, from their turn.
 */
export class Breather {
  readonly #clock: Clock;
  #steps = 0;
  #turnBegan: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turnBegan = clock.monotonic();
  }

  /** To be called after each step; what it returns, if anything, is to be waited for. */
  step(): Promise<void> | undefined {
    if (++this.#steps % stepsBetweenLooks !== 0 || this.#clock.monotonic() - this.#turnBegan <= longestTurn) return undefined;
    return this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.#turnBegan = this.#clock.monotonic();
  }
}
