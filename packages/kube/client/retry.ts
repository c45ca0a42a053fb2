import { TransportError } from "../transport/transport.ts";

/** How often a request is retried at most. */
export const maxRetries = 10;

/** What decides about a retry. */
export type AttemptOutcome = { readonly status: number; readonly retryAfter: string | undefined } | { readonly error: TransportError };

/** Milliseconds to wait before a retry; `undefined` when there is none. */
export function retryDelay(outcome: AttemptOutcome, method: string, watch: boolean): number | undefined {
  if ("error" in outcome)
    return (watch ? isBrokenWatch(outcome.error) : method === "GET" && outcome.error.kind === "reset") ? 1000 : undefined;
  if (outcome.status !== 429 && outcome.status < 500) return undefined;
  const seconds = retryAfterSeconds(outcome.retryAfter);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** The seconds of a `Retry-After` header. A date does not count. */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

/** A watch that broke while opening counts as one that was closed: its reader opens another from where it is. */
export function isBrokenWatch(error: TransportError): boolean {
  return error.kind === "reset" || error.kind === "timeout";
}

/** Why a request is retried: for the log line about the wait. */
export function retryReason(attempt: number, delayMs: number, outcome: AttemptOutcome): string {
  const what = `retries: ${attempt}, retry-after: ${delayMs / 1000}s - retry-reason:`;
  if ("error" in outcome) return `${what} due to retryable error, error: ${outcome.error.message}`;
  return outcome.status === 429 ? `${what} due to server-side throttling` : `${what} ${outcome.status}`;
}

/** The last error of a call together with that of an earlier attempt: "timeout" alone explains little. */
export function withPreviousError(error: TransportError, previous: TransportError | undefined): TransportError {
  if (!previous || previous.message === error.message) return error;
  return new TransportError(error.kind, `${error.message} - error from a previous attempt: ${previous.message}`, { cause: error });
}
