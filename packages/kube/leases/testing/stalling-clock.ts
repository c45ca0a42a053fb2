import { FakeClock } from "@csi-sidecars/base/testing";

/** Timers that fire while `stallMs` is set find that so much more time has passed. */
export class StallingClock extends FakeClock {
  stallMs = 0;
  #stalled = 0;

  override monotonic(): number {
    return super.monotonic() + this.#stalled;
  }

  override after(ms: number, fn: () => void) {
    return super.after(ms, () => {
      this.#stalled += this.stallMs;
      this.stallMs = 0;
      fn();
    });
  }
}
