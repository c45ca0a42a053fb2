import type { Clock, Logger } from "@csi-sidecars/base";
import type { RateLimit } from "./token-bucket.ts";

/** One wait for the client's own rate limit. */
export interface ThrottledRequest {
  readonly waitedMs: number;
  readonly method: string;
  readonly path: string;
  /** Why the request is retried; absent for a first attempt. */
  readonly retryReason?: string;
}

interface ThrottledClient {
  readonly name: string;
  readonly limit: RateLimit | undefined;
  /** The flags that set the limit. */
  readonly limitedBy?: string | undefined;
}

const longWaitMs = 50;
const veryLongWaitMs = 1000;
const summaryPeriodMs = 60_000;

/**
 * Logs client-side throttling: each long wait at V(3), the very long ones at V(2) (at most one a second) or, where V(2) is disabled, at
 * V(0) (at most one in ten seconds), and one summary a minute at V(0) that names the flags to raise.
 */
export function throttleLog(
  clock: Clock,
  log: Logger,
  { name, limit, limitedBy = "--kube-api-qps and --kube-api-burst" }: ThrottledClient,
): (request: ThrottledRequest) => void {
  const perSecond = atMostEvery(clock, 1000);
  const perTenSeconds = atMostEvery(clock, 10_000);
  const perMinute = atMostEvery(clock, summaryPeriodMs);
  let requests = 0;
  let totalMs = 0;

  const logVeryLong = (fields: Record<string, unknown>) => {
    if (log.v(2).enabled) {
      if (perSecond()) log.v(2).info("Waited before sending request", fields);
    } else if (log.enabled && perTenSeconds()) {
      log.info("Waited before sending request", fields);
    }
  };

  return ({ waitedMs, method, path, retryReason }) => {
    if (waitedMs <= longWaitMs) return;
    const fields = {
      delay: `${Math.round(waitedMs)}ms`,
      reason: retryReason ?? "client-side throttling, not priority and fairness",
      verb: method,
      URL: path,
    };
    log.v(3).info("Waited before sending request", fields);
    if (waitedMs > veryLongWaitMs) logVeryLong(fields);

    requests += 1;
    totalMs += waitedMs;
    if (!perMinute()) return;
    log.info(`Requests wait for this client's own limit: raise ${limitedBy} if work is slow`, {
      client: name,
      ...limit,
      requests,
      waited: `${(totalMs / 1000).toFixed(1)}s`,
    });
    requests = 0;
    totalMs = 0;
  };
}

function atMostEvery(clock: Clock, periodMs: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (now - last < periodMs) return false;
    last = now;
    return true;
  };
}
