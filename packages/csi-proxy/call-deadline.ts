import type { Clock } from "@csi-sidecars/base";
import type { CallOptions } from "./call-options.ts";
import { CsiProxyError } from "./csi-proxy-error.ts";

/**
 * Turns the two ways in which a caller limits a call into one signal: it aborts when the caller's does, or when the time is up. A method
 * of several steps makes it once, so that the time is that of the whole method.
 */
export async function withinDeadline<T>(
  { signal, timeoutMs }: CallOptions,
  clock: Clock,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (timeoutMs === undefined) return work(signal);
  const either = new AbortController();
  const onAbort = () => either.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = clock.after(timeoutMs, () => either.abort(new CsiProxyError("DeadlineExceeded", `timed out after ${timeoutMs} ms`)));
  try {
    return await work(either.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** What a call rejects with whose signal has aborted. `what` names what was under way: the operation, or the lock. */
export function stoppedCall(what: string, reason: unknown): CsiProxyError {
  if (reason instanceof CsiProxyError) return new CsiProxyError(reason.code, `${what}: ${reason.message}`, { cause: reason });
  const isTimeout = reason instanceof Error && reason.name === "TimeoutError";
  return new CsiProxyError(isTimeout ? "DeadlineExceeded" : "Aborted", `${what}: ${isTimeout ? "timed out" : "aborted"}`, {
    cause: reason,
  });
}
