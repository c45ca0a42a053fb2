import type { Clock, Timer } from "@csi-sidecars/base";
import type { Availability } from "@csi-sidecars/csi";
import { ChangeSignal } from "../signals.ts";

export interface DriverPresenceOptions {
  readonly availability: Availability;
  /** How long a driver may be away before it is gone. */
  readonly gracePeriodMs: number;
  readonly clock: Clock;
}

/** What is present to those that need no driver. */
export const alwaysPresent: Pick<DriverPresence, "present"> = { present: async () => new AbortController().signal };

/**
 * Tells a driver that restarts from one that is gone: it is present from its first answer on, and gone when it was away for longer than the
 * grace period. Counted from the loss of the connection; a driver that can be connected to again but does not answer is still away.
 */
export class DriverPresence {
  readonly #options: DriverPresenceOptions;
  readonly #changes = new ChangeSignal();
  readonly #unsubscribe: () => void;
  /** Aborts when the driver is gone. */
  #present: AbortController | undefined;
  #grace: Timer | undefined;
  #lostAt = 0;
  #isAway = false;

  constructor(options: DriverPresenceOptions) {
    this.#options = options;
    this.#unsubscribe = options.availability.subscribe((available) => (available ? this.#answered() : this.#lost()));
  }

  /** Resolves when the driver is present: with a signal that aborts when it is gone. `undefined` when the given signal aborts first. */
  async present(signal: AbortSignal): Promise<AbortSignal | undefined> {
    while (!this.#present && !signal.aborted) await this.#changes.next(signal);
    return signal.aborted ? undefined : this.#present?.signal;
  }

  /** How long the driver has been away, once it is gone. */
  get goneForMs(): number | undefined {
    return this.#present ? undefined : this.#options.clock.monotonic() - this.#lostAt;
  }

  /** How long the driver has been away, while it may still come back in time. */
  get awayForMs(): number | undefined {
    return this.#present && this.#isAway ? this.#options.clock.monotonic() - this.#lostAt : undefined;
  }

  /** Nobody asks any more. */
  close(): void {
    this.#grace?.cancel();
    this.#unsubscribe();
  }

  #answered(): void {
    this.#grace?.cancel();
    this.#isAway = false;
    if (this.#present) return;
    this.#present = new AbortController();
    this.#changes.changed();
  }

  #lost(): void {
    const { clock, gracePeriodMs } = this.#options;
    this.#lostAt = clock.monotonic();
    this.#isAway = true;
    this.#grace = clock.after(gracePeriodMs, () => {
      const gone = this.#present;
      this.#present = undefined;
      gone?.abort(new Error("the CSI driver is gone"));
    });
  }
}
