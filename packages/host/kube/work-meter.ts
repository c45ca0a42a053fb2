import type { Clock } from "@csi-sidecars/base";
import type { Transport } from "@csi-sidecars/kube";

/** A single request on its way, now and then, leaves room for others. */
const crowd = 2;
/** Work that goes on step by step has few requests on their way between two of them. */
const pauseMs = 100;

/** Knows whether components keep the API server busy, for those who can wait until they do not. Watches do not count. */
export class WorkMeter {
  readonly #clock: Clock;
  #inFlight = 0;
  #crowdedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether several requests are on their way, or were a moment ago. */
  readonly working = (): boolean => this.#inFlight >= crowd || this.#clock.monotonic() - this.#crowdedAt < pauseMs;

  /** The same transport, for those whose requests are work. */
  metered(transport: Transport): Transport {
    return {
      request: (request) => (request.streaming ? transport.request(request) : this.#meter(transport.request(request))),
      close: () => transport.close(),
    };
  }

  #meter<T>(answer: Promise<T>): Promise<T> {
    this.#inFlight++;
    const ended = () => {
      if (this.#inFlight >= crowd) this.#crowdedAt = this.#clock.monotonic();
      this.#inFlight--;
    };
    answer.then(ended, ended);
    return answer;
  }
}
