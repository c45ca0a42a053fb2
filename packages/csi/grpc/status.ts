import { messageOf } from "@csi-sidecars/base";

/** The gRPC status codes by the names Go gives them. */
export const Code = {
  OK: 0,
  Canceled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  DataLoss: 15,
  Unauthenticated: 16,
} as const;

/** The name of a code that gRPC defines. */
export type CodeName = keyof typeof Code;

const names = Object.keys(Code);

/** The name users and metrics know a code by; a number that gRPC does not define reads `Code(N)`. */
export function codeName(code: number): string {
  return names[code] ?? `Code(${code})`;
}

/**
 * Who knows what became of the call.
 * - `peer`: the other side answered with this status.
 * - `transport`: the call was sent and no answer was understood; it may have been carried out.
 * - `unsent`: the call provably never reached a handler.
 */
export type ErrorOrigin = "peer" | "transport" | "unsent";

/** A failed call. `message` and `String(error)` are the text Go prints, because events and conditions embed it and people search for it. */
export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  readonly details: string;
  readonly origin: ErrorOrigin;

  constructor(code: number, details: string, options: { readonly origin?: ErrorOrigin; readonly cause?: unknown } = {}) {
    super(`rpc error: code = ${codeName(code)} desc = ${details}`, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = details;
    this.origin = options.origin ?? "peer";
  }

  get codeName(): string {
    return codeName(this.code);
  }

  override toString(): string {
    return this.message;
  }
}

/** What a caller sees whose own deadline passed, wherever the call was then. */
export function deadlineExceeded(origin: ErrorOrigin): GrpcError {
  return new GrpcError(Code.DeadlineExceeded, "context deadline exceeded", { origin });
}

/** What a caller sees who gave up; a signal that aborted because of a timeout counts as a deadline, as in Go. */
export function canceled(reason: unknown, origin: ErrorOrigin): GrpcError {
  if (reason instanceof Error && reason.name === "TimeoutError") return deadlineExceeded(origin);
  return new GrpcError(Code.Canceled, "context canceled", { origin, cause: reason });
}

/** What a caller sees whose call may not be made. */
export function notPermitted(refusal: unknown): GrpcError {
  return new GrpcError(Code.Canceled, messageOf(refusal), { origin: "unsent", cause: refusal });
}
