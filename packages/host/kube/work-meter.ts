import type { Clock } from "@csi-sidecars/base";
import type { Transport } from "@csi-sidecars/kube";

/** Work that goes on step by step has no request on its way between two of them. */
const pauseMs = 100;

/** Knows whether components ask something of the API server, for those who can wait until they do not. Watches do not count. */
export class WorkMeter {
  readonly #clock: Clock;
  #inFlight = 0;
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request is on its way, or was a moment ago. */
  readonly working = (): boolean => this.#inFlight > 0 || this.#clock.monotonic() - this.#endedAt < pauseMs;

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
      this.#endedAt = this.#clock.monotonic();
    };
    answer.then(ended, ended);
    return answer;
  }
}
