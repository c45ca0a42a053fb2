import type { Clock, Logger } from "@csi-sidecars/base";
import type { WatcherError } from "./watcher-error.ts";

const quietFor = 300_000;

/** Says each failure loudly once; while the same one repeats, only to those who ask for details, and again every five minutes. */
export class FailureLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  #last: { readonly message: string; readonly saidAt: number; repeated: number } | undefined;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  report(error: WatcherError): void {
    const now = this.#clock.monotonic();
    if (this.#last?.message === error.message && now - this.#last.saidAt < quietFor) {
      this.#last.repeated++;
      this.#log.v(4).info("Watching still fails", { step: error.step, err: error.message, repeated: this.#last.repeated });
      return;
    }
    this.#log.error(error, "Watching failed, will try again", { step: error.step });
    this.#last = { message: error.message, saidAt: now, repeated: 0 };
  }
}
