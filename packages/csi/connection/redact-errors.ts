import type { Interceptor } from "../grpc/service-client.ts";
import { GrpcError } from "../grpc/status.ts";
import { redact, secretsIn } from "../sanitizer/redact.ts";
import type { DriverCallOptions } from "./call-options.ts";

/** Takes the request's secrets out of what a driver says about it, before anyone can log it or write it into an event. */
export const redactErrors: Interceptor<DriverCallOptions> = (next) => async (call, options) => {
  try {
    return await next(call, options);
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    const details = redact(error.details, secretsIn(call.request, call.method.requestType.$type ?? ""));
    throw details === error.details ? error : new GrpcError(error.code, details, { origin: error.origin });
  }
};
