import type { Clock } from "@csi-sidecars/base";
import type { Transport } from "@csi-sidecars/kube";

/** Components are busy with so many requests in flight at once, or one after the other within this time. */
const busyRequests = 5;
const withinMs = 250;

/** Whether the components are busy with requests: events wait until they are not. Watches do not count. */
export class WorkMeter {
  readonly #clock: Clock;
  /** When the last requests were answered, oldest first. */
  readonly #answered: number[] = Array(busyRequests).fill(Number.NEGATIVE_INFINITY);
  #inFlight = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly working = (): boolean =>
    this.#inFlight >= busyRequests || this.#clock.monotonic() - (this.#answered[0] ?? Number.NEGATIVE_INFINITY) < withinMs;

  /** The same transport, with its requests counted as work. */
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
