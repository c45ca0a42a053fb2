import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { Code, GrpcError } from "../grpc/status.ts";
import type { DriverCallOptions, DriverClient } from "./driver-client.ts";

/** The name the driver is known by in Kubernetes. */
export async function getDriverName(driver: Pick<DriverClient, "identity">, options?: DriverCallOptions): Promise<string> {
  const { name } = await driver.identity.getPluginInfo({}, options);
  if (name === "") throw new Error("driver name is empty");
  return name;
}

const probeIntervalMs = 1_000;

/** Whether the driver says it is ready; saying nothing means yes. */
export async function probe(driver: Pick<DriverClient, "identity">, options?: DriverCallOptions): Promise<boolean> {
  const { ready } = await driver.identity.probe({}, options);
  return ready ?? true;
}

export interface ProbeUntilReadyOptions {
  /** Of each probe. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly signal?: AbortSignal;
}

/**
 * Probes once a second until the driver is ready. A driver that is slow or still starting is waited for; any other error ends
 * the waiting, because asking a broken driver again does not repair it.
 */
export async function probeUntilReady(driver: Pick<DriverClient, "identity">, options: ProbeUntilReadyOptions): Promise<void> {
  const { timeoutMs, clock = systemClock, log = silentLogger, signal } = options;
  const call = signal ? { timeoutMs, signal, log } : { timeoutMs, log };
  for (;;) {
    const started = clock.monotonic();
    log.info("Probing CSI driver for readiness");
    try {
      if (await probe(driver, call)) return;
      log.info("CSI driver is not ready");
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof GrpcError) || error.code !== Code.DeadlineExceeded) {
        throw new Error(`CSI driver probe failed: ${error}`, { cause: error });
      }
      log.info("CSI driver probe timed out");
    }
    await clock.sleep(Math.max(0, probeIntervalMs - (clock.monotonic() - started)), signal);
  }
}
