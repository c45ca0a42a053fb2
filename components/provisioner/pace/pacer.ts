import type { Clock } from "@csi-sidecars/base";
import { fullPace, type Pace, type PaceSign, paceAfter, raised } from "./pace.ts";

/** So long without a sign of overload earns one step up, whatever else the calls came to: good calls may have to wait for those. */
const quietMs = 60_000;

/** Keeps the number of calls at a time to what the driver bears, up to `--worker-threads`. */
export class Pacer {
  readonly #most: number;
  readonly #apply: (limit: number) => void;
  readonly #clock: Pick<Clock, "monotonic">;
  #pace: Pace;
  #quietSince: number;

  constructor(most: number, apply: (limit: number) => void, clock: Pick<Clock, "monotonic">) {
    this.#most = most;
    this.#apply = apply;
    this.#clock = clock;
    this.#pace = fullPace(most);
    this.#quietSince = clock.monotonic();
    apply(most);
  }

  observe(sign: PaceSign): void {
    const { limit } = this.#pace;
    this.#pace = paceAfter(this.#pace, sign, this.#most);
    const now = this.#clock.monotonic();
    if (sign === "overloaded" || this.#pace.limit === this.#most) this.#quietSince = now;
    for (; now - this.#quietSince >= quietMs; this.#quietSince += quietMs) this.#pace = fullPace(raised(this.#pace.limit, this.#most));
    if (this.#pace.limit !== limit) this.#apply(this.#pace.limit);
  }
}
