import type { ExitCode } from "../flags/exit-code.ts";

/** How a process ends: after its work, or at once. */
export type End = { readonly how: "drain" | "now"; readonly code: ExitCode };

/** Where everyone says that the process is to end. */
export class Ending {
  readonly #stop = new AbortController();
  readonly #first = Promise.withResolvers<End>();
  readonly #now = Promise.withResolvers<End>();

  /** Aborts as soon as the process is to end, in whichever way: take no new work. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves with the first wish to end. */
  get wished(): Promise<End> {
    return this.#first.promise;
  }

  /** Resolves when the process is to end without waiting for anything. */
  get immediate(): Promise<End> {
    return this.#now.promise;
  }

  /** Ends the process when its work is done. */
  drain(code: ExitCode): void {
    this.#first.resolve({ how: "drain", code });
    this.#stop.abort(new Error("the process is to end"));
  }

  /** Ends the process at once. */
  now(code: ExitCode): void {
    this.#first.resolve({ how: "now", code });
    this.#now.resolve({ how: "now", code });
    this.#stop.abort(new Error("the process ends"));
  }
}
