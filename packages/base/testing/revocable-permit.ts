import type { Permit } from "../permit.ts";

/** A permit that a test takes away, in either of two ways. */
export class RevocablePermit implements Permit {
  /** Set: nothing may be sent any more, which is noticed only when it is asked for. */
  refused: Error | undefined;
  readonly #given = new AbortController();

  refusal(): Error | undefined {
    return this.refused ?? this.#given.signal.reason;
  }

  get withdrawn(): AbortSignal {
    return this.#given.signal;
  }

  /** Also tells those who were permitted before. */
  withdraw(reason: Error): void {
    this.#given.abort(reason);
  }
}
