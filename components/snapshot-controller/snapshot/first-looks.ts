import type { Clock } from "@csi-sidecars/base";

/**
 * How long something is waited for before users are told that it is missing: watches of several kinds do not keep step, and objects that
 * belong together are created one after the other. A driver that is faster than that needs no status in between either.
 */
const patienceMs = 700;

/** When something was first found missing, by what it is. */
export class FirstLooks {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** The wait begins now, unless it has. */
  begin(what: string): void {
    if (!this.#since.has(what)) this.#since.set(what, this.#clock.monotonic());
  }

  /** Milliseconds that are left to wait, from the first look on; 0 when they are over. */
  remainingMs(what: string): number {
    this.begin(what);
    return Math.max(0, (this.#since.get(what) ?? 0) + patienceMs - this.#clock.monotonic());
  }

  has(what: string): boolean {
    return this.#since.has(what);
  }

  forget(what: string): void {
    this.#since.delete(what);
  }
}
