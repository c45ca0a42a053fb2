import { type Clock, type Logger, messageOf, messageWithCause } from "@csi-sidecars/base";
import { Code, connectDriver, type DriverConnection, GrpcError, type OperationMetrics } from "@csi-sidecars/csi";

/** What a probe found: `problem` is for people, in the words that upstream's users search for. */
export type ProbeResult = { readonly healthy: true } | { readonly healthy: false; readonly problem: string };

export interface ProbeOptions {
  /** `--csi-address` */
  readonly address: string;
  /** For connecting and the call together. */
  readonly budgetMs: number;
  readonly operations: OperationMetrics | undefined;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

export const outOfTime = "context deadline exceeded";

/**
 * Probes the driver over a connection made for it: one that is kept would still answer after the socket's file was removed, when
 * nobody else can reach the driver any more.
 */
export async function probeDriver(options: ProbeOptions): Promise<ProbeResult> {
  const { address, budgetMs, operations, signal, clock, log } = options;
  if (!(budgetMs > 0)) return { healthy: false, problem: outOfTime };
  const started = clock.monotonic();
  let connection: DriverConnection;
  try {
    connection = await connectDriver({ address, timeoutMs: budgetMs, signal, clock, log, ...(operations && { metrics: operations }) });
  } catch (error) {
    // Upstream's text first; then what the last attempt to connect ran into, which it keeps for itself.
    const problem = signal.aborted ? "context canceled" : messageWithCause(error);
    log.error(new Error(problem), "Failed to establish connection to CSI driver");
    return { healthy: false, problem };
  }
  try {
    log.v(5).info("Sending probe request to CSI driver", { driver: address });
    const left = budgetMs - (clock.monotonic() - started);
    if (left <= 0) throw new GrpcError(Code.DeadlineExceeded, outOfTime, { origin: "unsent" });
    const { ready = true } = await connection.driver.identity.probe({}, { timeoutMs: left, signal, log });
    if (!ready) {
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
