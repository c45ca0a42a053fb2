import type { Clock } from "@csi-sidecars/base";
import type { Interceptor } from "../grpc/service-client.ts";
import { GrpcError } from "../grpc/status.ts";
import type { OperationMetrics } from "../metrics/operation-metrics.ts";
import type { DriverCallOptions } from "./call-options.ts";

/** Records how long every call took and how it ended. */
export function measureCalls(metrics: OperationMetrics, clock: Clock): Interceptor<DriverCallOptions> {
  return (next) => async (call, options) => {
    const started = clock.monotonic();
    const recorder = options.metricLabels ? metrics.withLabels(options.metricLabels) : metrics;
    const record = (status: string) =>
      recorder.record({ method: call.path, status, seconds: (clock.monotonic() - started) / 1_000, migrated: options.migrated });
    try {
      const response = await next(call, options);
      record("OK");
      return response;
    } catch (error) {
      record(error instanceof GrpcError ? error.codeName : "unknown-non-grpc");
      throw error;
    }
  };
}
