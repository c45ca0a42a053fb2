import type { Logger } from "@csi-sidecars/base";
import type { Interceptor } from "../grpc/service-client.ts";
import type { Codec } from "../grpc/service-definition.ts";
import { sanitize } from "../sanitizer/sanitize.ts";
import type { DriverCallOptions } from "./call-options.ts";

/** The verbosity from which calls and answers are logged. */
const verbosity = 5;

/**
 * Logs every call and its answer without secrets, and nothing is rendered unless it is shown. `rpc` tells which answer belongs to
 * which call. Answers longer than `maxLength` are cut; requests never; a limit of zero or less means none.
 */
export function logCalls(log: Logger, maxLength: number): Interceptor<DriverCallOptions> {
  let calls = 0;
  return (next) => async (call, options) => {
    const rpc = ++calls;
    const verbose = (options.log ?? log).v(verbosity);
    if (!verbose.enabled) return next(call, options);
    const { path, method, request } = call;
    verbose.info("GRPC call", { rpc, method: path, request: render(request, method.requestType) });
    try {
      const response = await next(call, options);
      verbose.info("GRPC response", { rpc, response: capped(render(response, method.responseType), maxLength), err: null });
      return response;
    } catch (error) {
      verbose.info("GRPC response", { rpc, response: "{}", err: String(error) });
      throw error;
    }
  };
}

const render = (message: object, type: Codec<object>): string => String(sanitize(message, type.$type ?? ""));

function capped(text: string, maxLength: number): string {
  if (maxLength <= 0 || text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)} [response body too large, log capped to ${maxLength} chars]`;
}
