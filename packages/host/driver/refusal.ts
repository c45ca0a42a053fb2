import { Code, GrpcError } from "@csi-sidecars/csi";

/**
 * Something that only a leader may do was not done, because leadership was no longer certain. Not a failure of the work: whoever
 * leads next does it.
 */
class NotLeading extends Error {
  override readonly name = "AbortError";
}

export function notLeading(what: string): NotLeading {
  return new NotLeading(`${what} was refused: leadership is no longer certain`);
}

/** The same for a call to the driver: an error that says the driver never saw it. */
export function callNotLeading(method: string): GrpcError {
  const cause = notLeading(method);
  return new GrpcError(Code.Canceled, cause.message, { origin: "unsent", cause });
}

/** Whether an error only means that this process must not act any more: nothing to report, nothing to retry. */
export function isNotLeading(error: unknown): boolean {
  return error instanceof NotLeading || (error instanceof Error && error.cause instanceof NotLeading);
}
