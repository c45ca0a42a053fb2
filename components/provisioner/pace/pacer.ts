import { fullPace, type Pace, type PaceSign, paceAfter } from "./pace.ts";

/** Keeps the number of calls at a time to what the driver bears, up to `--worker-threads`. */
export class Pacer {
  readonly #most: number;
  readonly #apply: (limit: number) => void;
  #pace: Pace;

  constructor(most: number, apply: (limit: number) => void) {
    this.#most = most;
    this.#apply = apply;
    this.#pace = fullPace(most);
    apply(most);
  }

  observe(sign: PaceSign): void {
    const { limit } = this.#pace;
    this.#pace = paceAfter(this.#pace, sign, this.#most);
    if (this.#pace.limit !== limit) this.#apply(this.#pace.limit);
  }
}
