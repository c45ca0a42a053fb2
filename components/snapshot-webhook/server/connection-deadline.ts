import type { Clock, Timer } from "@csi-sidecars/base";

/** How long a client may take, as upstream's server has it. */
const limits = { read: 10_000, write: 10_000, idle: 15_000 };

/** Ends a connection whose client is too slow: to send a request, to take its answer, or to ask again. */
export class ConnectionDeadline {
  readonly #clock: Clock;
  readonly #expired: () => void;
  #timer: Timer | undefined;

  constructor(clock: Clock, expired: () => void) {
    this.#clock = clock;
    this.#expired = expired;
    this.begin("read");
  }

  begin(phase: keyof typeof limits): void {
    this.end();
    this.#timer = this.#clock.after(limits[phase], this.#expired);
  }

  end(): void {
    this.#timer?.cancel();
  }
}
