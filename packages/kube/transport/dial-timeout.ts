import type { Clock, Timer } from "@csi-sidecars/base";

/** As in client-go. */
const connectMs = 30_000;
const handshakeMs = 10_000;

/** The server accepted the connection, but the TLS handshake did not end. */
export const handshakeTimeout = "TLS_HANDSHAKE_TIMEOUT";
/** The server closed the connection before the TLS handshake ended. */
export const handshakeClosed = "TLS_HANDSHAKE_CLOSED";

/** Ends a dial that takes too long: a silent server must not hold up the requests that wait for a connection. */
export class DialTimeout {
  readonly #clock: Clock;
  readonly #onExpired: (error: Error) => void;
  #timer: Timer;

  /** `onExpired` gets an error with a `code`. */
  constructor(clock: Clock, onExpired: (error: Error) => void) {
    this.#clock = clock;
    this.#onExpired = onExpired;
    this.#timer = this.#limit(connectMs, "ETIMEDOUT");
  }

  /** Connected; the TLS handshake begins. */
  handshaking(): void {
    this.#timer.cancel();
    this.#timer = this.#limit(handshakeMs, handshakeTimeout);
  }

  /** The dial has succeeded or failed. */
  done(): void {
    this.#timer.cancel();
  }

  #limit(ms: number, code: string): Timer {
    return this.#clock.after(ms, () => this.#onExpired(Object.assign(new Error(`not complete within ${ms / 1000} s`), { code })));
  }
}
