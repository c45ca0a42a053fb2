import type { Status } from "../client/client.ts";
import { StatusError } from "../client/status-error.ts";
import { hasStatusCause, isGone, isResourceExpired, isTimeout, isTooManyRequests } from "../client/status-predicates.ts";
import { TransportError } from "../transport/transport.ts";

/** The server is away or sheds load: the position in the stream is still good, so wait and open the watch again. */
export function isServerBusy(error: unknown): boolean {
  return isTooManyRequests(error) || (error instanceof TransportError && error.kind === "refused");
}

/** The version asked for is no longer kept by the server. */
export function isExpired(error: unknown): boolean {
  return isResourceExpired(error) || isGone(error);
}

/** The server has not yet seen the version asked for, as after it was restored or when another replica answers. */
export function isTooLargeVersion(error: unknown): boolean {
  if (hasStatusCause(error, "ResourceVersionTooLarge")) return true;
  return isTimeout(error) && error instanceof Error && error.message.includes("Too large resource version");
}

/** The connection broke under a running watch: no different from the server closing it. */
export function isBrokenStream(error: unknown): boolean {
  return error instanceof TransportError && (error.kind === "reset" || error.kind === "timeout" || error.kind === "closed");
}

/** An ERROR event as the error it stands for. */
export function watchError(status: Status): StatusError {
  return new StatusError(status);
}

/** A watch that ends at once and empty: something between us and the server does not let watches through. */
export class VeryShortWatchError extends Error {
  override readonly name = "VeryShortWatchError";

  constructor() {
    super("the watch was closed within a second and without an event");
  }
}
