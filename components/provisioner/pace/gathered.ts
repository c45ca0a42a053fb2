import type { Clock } from "@csi-sidecars/base";

export interface GatheredOptions {
  readonly clock: Pick<Clock, "after">;
  /** How long after the first wish the work is done; asked at that moment. */
  pauseMs(): number;
  work(): void;
}

/**
 * Does a work that many wish for once for all of them: a hundred nodes that come up one after the other shall not have ten thousand
 * waiting claims tried a hundred times.
 */
export class Gathered {
  readonly #options: GatheredOptions;
  #waiting: { cancel(): void } | undefined;

  constructor(options: GatheredOptions) {
    this.#options = options;
  }

  wish(): void {
    const { clock, pauseMs, work } = this.#options;
    this.#waiting ??= clock.after(pauseMs(), () => {
      this.#waiting = undefined;
      work();
    });
  }

  stop(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }
}
