import type { Logger } from "@csi-sidecars/base";
import { type ExitCode, exitCode } from "../flags/exit-code.ts";

/** How a process ends: when its work in flight is finished, or at once. */
export type End = { readonly how: "drain" | "now"; readonly code: ExitCode };

/** Where everything that ends the process meets: signals, fatal errors, and components that have nothing left to do. */
export class Shutdown {
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #first = Promise.withResolvers<End>();
  readonly #now = Promise.withResolvers<End>();
  #failure: string | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Aborts as soon as the process is to end, in whichever way: take no new work. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Resolves when the process is to end. */
  get requested(): Promise<End> {
    return this.#first.promise;
  }

  /** Resolves when the process is to end without waiting for anything. */
  get immediate(): Promise<End> {
    return this.#now.promise;
  }

  /** Why the process fails, once it does. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Ends the process when its work in flight is finished. */
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

  /** SIGTERM and SIGINT drain; the second one ends the process at once. */
  signalled(signal: string): void {
    if (this.stopping.aborted) {
      this.#log.info("Received a second signal, exiting at once", { signal });
      this.now(exitCode.failure);
    } else {
      this.#log.info("Received a signal, shutting down", { signal });
      this.drain(exitCode.clean);
    }
  }

  /** Ends the process at once with a failure; the first reason is logged. */
  fatal(reason: string): void {
    if (this.#failure === undefined) this.#log.error(undefined, reason);
    this.#failure ??= reason;
    this.now(exitCode.failure);
  }

  /** Ends the process with a failure that was logged already, when its work in flight is finished. */
  failReported(reason: string): void {
    this.#failure ??= reason;
    this.drain(exitCode.failure);
  }

  /** Ends the process with a failure when its work in flight is finished; the first reason is logged. */
  fail(reason: string): void {
    if (this.#failure === undefined) this.#log.error(undefined, reason);
    this.failReported(reason);
  }
}
