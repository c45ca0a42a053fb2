import { type Clock, type Logger, messageOf, messageWithCause } from "@csi-sidecars/base";
import { Code, connectDriver, type DriverConnection, GrpcError, type OperationMetrics, probe } from "@csi-sidecars/csi";

/** The result of a probe; `problem` has upstream's words, which users search for. */
export type ProbeResult = { readonly healthy: true } | { readonly healthy: false; readonly problem: string };

export interface ProbeOptions {
  /** `--csi-address` */
  readonly address: string;
  /** For connecting and the call together. */
  readonly budgetMs: number;
  readonly operations: OperationMetrics | undefined;
  /** Aborts when no caller waits for the result any longer. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export const outOfTime = "context deadline exceeded";

/**
 * Probes the driver over a new connection: an old one would still answer after the socket's file was removed, when nothing else
 * can reach the driver.
 */
export async function probeDriver(options: ProbeOptions): Promise<ProbeResult> {
  const { address, budgetMs, operations, signal, clock, log } = options;
  if (!(budgetMs > 0)) return { healthy: false, problem: outOfTime };
  const started = clock.monotonic();
  let connection: DriverConnection;
  try {
    connection = await connectDriver({ address, timeoutMs: budgetMs, signal, clock, log, ...(operations && { metrics: operations }) });
  } catch (error) {
    // Upstream's text first, then the error of the last attempt to connect, which upstream does not show.
    const problem = signal.aborted ? "context canceled" : messageWithCause(error);
    log.error(new Error(problem), "Failed to establish connection to CSI driver");
    return { healthy: false, problem };
  }
  try {
    log.v(5).info("Sending probe request to CSI driver", { driver: address });
    const left = budgetMs - (clock.monotonic() - started);
    if (left <= 0) throw new GrpcError(Code.DeadlineExceeded, outOfTime, { origin: "unsent" });
    if (!(await probe(connection.driver, { timeoutMs: left, signal, log }))) {
      log.error(undefined, "Driver responded but is not ready");
      return { healthy: false, problem: "driver responded but is not ready" };
    }
    log.v(5).info("Health check succeeded");
    return { healthy: true };
  } catch (error) {
    log.error(error, "Health check failed");
    return { healthy: false, problem: messageOf(error) };
  } finally {
    connection.close();
  }
}

const largestMarginMs = 100;

/** The time limit of a probe: slightly below `--probe-timeout`, which kubelet often uses too, so that it still gets the reason. */
export function probeBudget(probeTimeoutMs: number): number {
  return probeTimeoutMs - Math.min(largestMarginMs, probeTimeoutMs / 10);
}
