import type { Status } from "./client.ts";

/** The API server refused a request. `message` is exactly `status.message`: event messages embed it. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? "unknown error", options);
    this.status = status;
  }

  /** Only the message, as in Go: callers embed errors in events by converting them to text. */
  override toString(): string {
    return this.message;
  }
}

/** The reasons an API server gives. With one of these the reason decides alone; the HTTP code only counts without a known reason. */
const knownReasons: ReadonlySet<string> = new Set([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Invalid",
  "ServerTimeout",
  "StoreReadError",
  "Timeout",
  "TooManyRequests",
  "BadRequest",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "Expired",
  "ServiceUnavailable",
]);

type Predicate = (error: unknown) => boolean;

/** The object does not exist (any more). */
export const isNotFound: Predicate = byReasonOrCode("NotFound", 404);
/** A create met an object of the same name. */
export const isAlreadyExists: Predicate = byReason("AlreadyExists");
/** The `resourceVersion` (or uid) precondition no longer holds: read again and decide again. */
export const isConflict: Predicate = byReasonOrCode("Conflict", 409);
/** Validation refused the object: a retry is useless. */
export const isInvalid: Predicate = byReasonOrCode("Invalid", 422);
/** RBAC or admission refused. */
export const isForbidden: Predicate = byReasonOrCode("Forbidden", 403);
/** The server no longer has the requested resource version: list again. */
export const isGone: Predicate = byReasonOrCode("Gone", 410);
/** The resource version or continue token is too old: list again. */
export const isResourceExpired: Predicate = byReason("Expired");
/** The server sheds load. The code 429 counts with any reason. */
export const isTooManyRequests: Predicate = (error) => reasonOf(error) === "TooManyRequests" || codeOf(error) === 429;
export const isInternalError: Predicate = byReasonOrCode("InternalError", 500);
/** The server gave up while working on the request: it may still take effect. */
export const isTimeout: Predicate = byReasonOrCode("Timeout", 504);
/** The server could not start in time; the request had no effect. */
export const isServerTimeout: Predicate = byReason("ServerTimeout");

/** The result of a read or write; `undefined` when the object does not exist (controller-runtime's `IgnoreNotFound`). */
export async function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Whether the server named `type` as a cause, which is more specific than the reason: `NamespaceTerminating`. */
export function hasStatusCause(error: unknown, type: string): boolean {
  return find(error)?.status.details?.causes?.some((cause) => cause.reason === type) ?? false;
}

function byReason(reason: string): Predicate {
  return (error) => reasonOf(error) === reason;
}

function byReasonOrCode(reason: string, code: number): Predicate {
  return (error) => {
    const given = reasonOf(error);
    return given === reason || (!knownReasons.has(given) && codeOf(error) === code);
  };
}

function reasonOf(error: unknown): string {
  return find(error)?.status.reason ?? "";
}

function codeOf(error: unknown): number | undefined {
  return find(error)?.status.code;
}

/** Errors that wrap a StatusError as their `cause` are judged by it. */
function find(error: unknown): StatusError | undefined {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (e instanceof StatusError) return e;
  }
  return undefined;
}
