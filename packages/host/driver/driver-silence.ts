import type { Clock } from "@csi-sidecars/base";
import { type DriverCallOptions, GrpcError, type Interceptor } from "@csi-sidecars/csi";

/** A call that is not answered is retried, but not by everybody: whether a driver that nobody has called for so long answers is not known. */
const idleAfterMs = 60_000;

/** Tells a driver that is connected and answers nothing from one that works. */
export class DriverSilence {
  readonly #clock: Clock;
  #waiting = 0;
  /** When a call was made that is not answered, with no answer to another one since. */
  #since: number | undefined;
  /** When a call last ended. */
  #endedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For how long no call was answered; `undefined` where none waits for its answer, or has waited in vain of late. */
  get forMs(): number | undefined {
    return this.#since === undefined || this.#isIdle ? undefined : this.#clock.monotonic() - this.#since;
  }

  get #isIdle(): boolean {
    return this.#waiting === 0 && this.#clock.monotonic() - this.#endedAt > idleAfterMs;
  }

  /** Sees every call. */
  readonly interceptor: Interceptor<DriverCallOptions> = (next) => async (call, options) => {
    if (this.#since === undefined || this.#isIdle) this.#since = this.#clock.monotonic();
    this.#waiting++;
    let isAnswered = true;
    try {
      return await next(call, options);
    } catch (error) {
      isAnswered = error instanceof GrpcError && error.origin === "peer";
      throw error;
    } finally {
      this.#waiting--;
      this.#endedAt = this.#clock.monotonic();
      if (isAnswered) this.#since = this.#waiting > 0 ? this.#endedAt : undefined;
    }
  };
}
