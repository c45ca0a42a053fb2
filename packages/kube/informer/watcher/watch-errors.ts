import type { Clock, Logger } from "@csi-sidecars/base";
import { hasStatusCause, isGone, isResourceExpired, isTimeout, isTooManyRequests } from "../../client/status-error.ts";
import { TransportError } from "../../transport/transport.ts";
import type { WatcherError } from "./watcher-event.ts";

/** The server is down or sheds load: the position in the stream is still valid, so wait and open the watch again. */
export function isServerBusy(error: unknown): boolean {
  return isTooManyRequests(error) || (error instanceof TransportError && error.kind === "refused");
}

/** The server no longer has the requested version. */
export function isExpired(error: unknown): boolean {
  return isResourceExpired(error) || isGone(error);
}

/** The server has not reached the requested version yet: it was restored, or another replica answers. */
export function isTooLargeVersion(error: unknown): boolean {
  if (hasStatusCause(error, "ResourceVersionTooLarge")) return true;
  return isTimeout(error) && error instanceof Error && error.message.includes("Too large resource version");
}

/** The connection broke under a running watch: no different from the server closing it. */
export function isBrokenStream(error: unknown): boolean {
  return error instanceof TransportError && (error.kind === "reset" || error.kind === "timeout" || error.kind === "closed");
}

/** A watch that ends at once without an event: something between here and the server does not let watches through. */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor() {
    super("the watch was closed within a second and without an event");
  }
}

const quietMs = 300_000;

/** Logs each failure as an error once; while the same one repeats, at verbosity 4, and as an error again every five minutes. */
export class FailureLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  #last: { readonly message: string; readonly loggedAt: number; repeated: number } | undefined;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  report(error: WatcherError): void {
    const now = this.#clock.monotonic();
    if (this.#last?.message === error.message && now - this.#last.loggedAt < quietMs) {
      this.#last.repeated++;
      this.#log.v(4).info("Watch still fails", { step: error.step, err: error.message, repeated: this.#last.repeated });
      return;
    }
    this.#log.error(error, "Watch failed, will be retried", { step: error.step });
    this.#last = { message: error.message, loggedAt: now, repeated: 0 };
  }
}
