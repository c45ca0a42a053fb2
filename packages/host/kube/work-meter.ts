import type { Clock } from "@csi-sidecars/base";
import type { Transport } from "@csi-sidecars/kube";

/** So many requests on their way at once, or one after the other within this time, are work that goes on; fewer leave room for others. */
const crowd = 5;
const withinMs = 250;

/** Knows whether components keep the API server busy, for those who can wait until they do not. Watches do not count. */
export class WorkMeter {
  readonly #clock: Clock;
  /** When the last requests were answered, oldest first. */
  readonly #answered: number[] = Array(crowd).fill(Number.NEGATIVE_INFINITY);
  #inFlight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly working = (): boolean =>
    this.#inFlight >= crowd || this.#clock.monotonic() - (this.#answered[0] ?? Number.NEGATIVE_INFINITY) < withinMs;

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
      this.#inFlight--;
      this.#answered.shift();
      this.#answered.push(this.#clock.monotonic());
    };
    answer.then(ended, ended);
    return answer;
  }
}
