import type { Clock, Logger } from "@csi-sidecars/base";
import { CanceledError } from "../queue/reconcile-result.ts";
import { maxRefusalBytes, type Transport, TransportError, type TransportRequest, type TransportResponse } from "../transport/transport.ts";
import type { CallOptions } from "./client.ts";
import type { RequestMetrics } from "./client-metrics.ts";
import type { ThrottledRequest } from "./throttle-log.ts";
import type { RateLimiter } from "./token-bucket.ts";

/** What all requests of a client share. */
export interface SendContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limiter: RateLimiter;
  readonly metrics: RequestMetrics | undefined;
  readonly onThrottled: (request: ThrottledRequest) => void;
}

export type ClientRequest = Omit<TransportRequest, "timeoutMs" | "signal">;

/** The response of the last attempt, whatever its status. */
export interface ClientResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly response: TransportResponse;
  /** Empty for a watch that was opened: its body is read as chunks. */
  readonly body: string;
}

/** A request was not sent because its caller had no use for it any more: see `CallOptions.isMoot`. */
export class MootRequestError extends CanceledError {
  override readonly name = "MootRequestError";
}

type Attempt = ClientResponse | { readonly error: TransportError };

const defaultTimeoutMs = 60_000;

/**
 * Sends a request with client-go's retries. Every attempt takes a token, except the first one of a watch. Throws a TransportError
 * when the last attempt got no response.
 */
export async function send(context: SendContext, request: ClientRequest, options: CallOptions): Promise<ClientResponse> {
  let previous: TransportError | undefined;
  let reason: string | undefined;
  for (let retries = 0; ; retries++) {
    let timeoutMs: number;
    try {
      if (!request.streaming || retries > 0) await takeToken(context, request, options, reason);
      timeoutMs = timeLeft(context.clock, options);
      if (options.isMoot?.()) throw new MootRequestError(`${request.method} ${request.path} is no longer wanted`);
    } catch (error) {
      throw error instanceof TransportError ? withPreviousError(error, previous) : error;
    }
    const attempt = await attemptOnce(context, { ...request, signal: options.signal, timeoutMs }, retries > 0);
    const delayMs = retries < maxRetries ? retryDelay(attempt, request.method, request.streaming ?? false) : undefined;
    if (delayMs === undefined || context.clock.monotonic() + delayMs >= (options.deadline ?? Number.POSITIVE_INFINITY)) {
      if ("error" in attempt) throw withPreviousError(attempt.error, previous);
      return attempt;
    }
    if ("error" in attempt) previous = attempt.error;
    reason = retryReason(retries + 1, delayMs, attempt);
    context.log.v(4).info("Retrying the request", { delay: `${delayMs}ms`, reason, verb: request.method, URL: request.path });
    await pause(context.clock, delayMs, options.signal, previous);
  }
}

async function takeToken(context: SendContext, request: ClientRequest, options: CallOptions, reason?: string): Promise<void> {
  const token = context.limiter.take(options);
  const waitedMs = token === undefined ? 0 : await token;
  context.metrics?.rateLimited(request.method, waitedMs / 1000);
  if (waitedMs > 0) context.onThrottled({ waitedMs, method: request.method, path: request.path, retryReason: reason });
}

async function attemptOnce({ transport, metrics }: SendContext, request: TransportRequest, retry: boolean): Promise<Attempt> {
  try {
    const response = await transport.request(request);
    const { status } = response;
    const body = status >= 400 ? await refusalText(response) : request.streaming && status === 200 ? "" : await response.text();
    metrics?.attempted(request.method, status, retry);
    if (metrics && !request.streaming) {
      metrics.sent(request.method, request.body === undefined ? 0 : Buffer.byteLength(request.body));
      metrics.received(request.method, Buffer.byteLength(body));
    }
    return { status, retryAfter: response.header("retry-after"), response, body };
  } catch (error) {
    metrics?.attempted(request.method, "<error>", retry);
    if (error instanceof TransportError) return { error };
    throw error;
  }
}

/** The body of a refusal. Empty when it does not arrive, is cut off or is too large: the status says enough. */
async function refusalText(response: TransportResponse): Promise<string> {
  try {
    return await response.text(maxRefusalBytes);
  } catch (error) {
    if (error instanceof TransportError && error.kind !== "aborted" && error.kind !== "closed") return "";
    throw error;
  }
}

function timeLeft(clock: Clock, { timeoutMs = defaultTimeoutMs, deadline }: CallOptions): number {
  if (deadline === undefined) return timeoutMs;
  const left = deadline - clock.monotonic();
  if (left <= 0) throw new TransportError("timeout", "context deadline exceeded");
  return Math.min(timeoutMs, left);
}

async function pause(clock: Clock, ms: number, signal: AbortSignal | undefined, previous: TransportError | undefined): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (cause) {
    throw withPreviousError(new TransportError("aborted", "context canceled", { cause }), previous);
  }
}

/** How often a request is retried at most. */
export const maxRetries = 10;
/**
 * The longest wait before a retry, whatever the server asks for; client-go has no limit. An overloaded API server asks for seconds,
 * but the maintenance page of a proxy for an hour or a day: nothing would be seen of the cluster until then.
 */
const maxDelaySeconds = 60;

/** What decides about a retry. */
export type AttemptOutcome = { readonly status: number; readonly retryAfter: string | undefined } | { readonly error: TransportError };

/** Milliseconds to wait before a retry; `undefined` when there is none. */
export function retryDelay(outcome: AttemptOutcome, method: string, watch: boolean): number | undefined {
  if ("error" in outcome)
    return (watch ? isBrokenWatch(outcome.error) : method === "GET" && outcome.error.kind === "reset") ? 1000 : undefined;
  if (outcome.status !== 429 && outcome.status < 500) return undefined;
  const seconds = retryAfterSeconds(outcome.retryAfter);
  return seconds === undefined ? undefined : Math.min(seconds, maxDelaySeconds) * 1000;
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
