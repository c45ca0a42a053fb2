import type { Clock } from "@csi-sidecars/base";
import { type DriverCallOptions, GrpcError, type Interceptor } from "@csi-sidecars/csi";

/** Tells a driver that is connected and answers nothing from one that works. */
export class DriverSilence {
  readonly #clock: Clock;
  #waiting = 0;
  /** When a call was made that is not answered, with no answer to another one since. */
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For how long no call was answered; `undefined` where none waits for its answer, or has waited in vain. */
  get forMs(): number | undefined {
    return this.#since === undefined ? undefined : this.#clock.monotonic() - this.#since;
  }

  /** Sees every call. */
  readonly interceptor: Interceptor<DriverCallOptions> = (next) => async (call, options) => {
    this.#since ??= this.#clock.monotonic();
    this.#waiting++;
    let isAnswered = true;
    try {
      return await next(call, options);
    } catch (error) {
      isAnswered = error instanceof GrpcError && error.origin === "peer";
      throw error;
    } finally {
      this.#waiting--;
      if (isAnswered) this.#since = this.#waiting > 0 ? this.#clock.monotonic() : undefined;
    }
  };
}
