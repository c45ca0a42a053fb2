import type { ErrorFilter } from "../grpc/service-client.ts";
import { GrpcError } from "../grpc/status.ts";
import { redact } from "../sanitizer/redact.ts";
import { secretsIn } from "../sanitizer/secrets-in.ts";

/**
 * Takes the request's secrets out of what a driver says about it, before anyone can log it or write it into an event. A call that
 * succeeds costs nothing. Secrets of other calls are not looked for: they would have to be kept in memory for it, and words among
 * them would be stripped from errors that have nothing to do with them.
 */
export const redactErrors: ErrorFilter = (error, { request, method }) => {
  const details = redact(error.details, secretsIn(request, method.requestType.$type ?? ""));
  return details === error.details ? error : new GrpcError(error.code, details, { origin: error.origin });
};
