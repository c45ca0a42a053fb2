import type { Clock } from "@csi-sidecars/base";

interface DebounceOptions {
  readonly clock: Pick<Clock, "after">;
  /** How long after the first trigger the work runs; asked at that moment. */
  delayMs(): number;
  work(): void;
}

/** Runs the work once for all triggers of a burst: a hundred nodes that join one by one must not retry ten thousand claims a hundred times. */
export class Debounce {
  readonly #options: DebounceOptions;
  #pending: { cancel(): void } | undefined;

  constructor(options: DebounceOptions) {
    this.#options = options;
  }

  readonly trigger = (): void => {
    const { clock, delayMs, work } = this.#options;
    this.#pending ??= clock.after(delayMs(), () => {
      this.#pending = undefined;
      work();
    });
  };

  readonly stop = (): void => {
    this.#pending?.cancel();
    this.#pending = undefined;
  };
}
