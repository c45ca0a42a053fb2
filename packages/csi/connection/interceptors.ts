import type { Clock, Logger } from "@csi-sidecars/base";
import type { Interceptor } from "../grpc/service-client.ts";
import type { Codec } from "../grpc/service-definition.ts";
import { Code, codeName, GrpcError } from "../grpc/status.ts";
import type { OperationMetrics } from "../metrics/operation-metrics.ts";
import { sanitize } from "../sanitizer/sanitize.ts";
import type { DriverCallOptions } from "./driver-client.ts";

/** The verbosity from which calls and responses are logged. */
const verbosity = 5;

/** The longest text of a message in the log where no limit is set, in characters: a line of tens of megabytes helps nobody. */
const longestText = 1024 * 1024;

/**
 * Logs every call and its response without secrets; nothing is rendered unless it is logged. `rpc` pairs a response with its call.
 * Responses longer than `maxLength` are truncated, requests are not; zero or less means no limit of
 * the user's. What has none ends after {@link longestText}.
 */
export function logCalls(log: Logger, maxLength: number): Interceptor<DriverCallOptions> {
  let calls = 0;
  return (next) => async (call, options) => {
    const rpc = ++calls;
    const verbose = (options.log ?? log).v(verbosity);
    if (!verbose.enabled) return next(call, options);
    const { path, method, request } = call;
    verbose.info("GRPC call", { rpc, method: path, request: render(request, method.requestType, "request") });
    try {
      const response = await next(call, options);
      verbose.info("GRPC response", { rpc, response: render(response, method.responseType, "response", maxLength), err: null });
      return response;
    } catch (error) {
      verbose.info("GRPC response", { rpc, response: "{}", err: String(error) });
      throw error;
    }
  };
}

function render(message: object, type: Codec<object>, what: "request" | "response", limit = 0): string {
  const maxLength = limit > 0 ? limit : longestText;
  const text = sanitize(message, type.$type ?? "").start(maxLength + 1);
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)} [${what} body too large, log capped to ${maxLength} chars]`;
}

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
      record(error instanceof GrpcError ? codeName(boundedCode(error.code)) : "unknown-non-grpc");
      throw error;
    }
  };
}

/** gRPC defines 17 codes. Upstream's label has the number of any other; here only of the lower ones, as each costs memory for good. */
const codesInMetrics = 100;

function boundedCode(code: number): number {
  return code < codesInMetrics ? code : Code.Unknown;
}
