import { Code, GrpcError } from "@csi-sidecars/csi";
import { CanceledError, type Transport } from "@csi-sidecars/kube";

/**
 * Something that only a leader may do was not done, because leadership was no longer certain. Not a failure of the work: whoever
 * leads next does it.
 */
class NotLeading extends CanceledError {
  override readonly name = "NotLeading";
}

function notLeading(what: string): NotLeading {
  return new NotLeading(`${what} was refused: leadership is no longer certain`);
}

/** Whether an error only means that this process must not act any more: nothing to report, nothing to retry. */
export function isNotLeading(error: unknown): boolean {
  return error instanceof NotLeading || (error instanceof Error && error.cause instanceof NotLeading);
}

/**
 * A transport that sends no write to the API server unless `mayAct`. It asks when a request really leaves: after the wait for the
 * client's token bucket, and again for each retry.
 */
export function guardedTransport(transport: Transport, mayAct: () => boolean): Transport {
  return {
    request(request) {
      if (request.method === "GET" || mayAct()) return transport.request(request);
      return Promise.reject(notLeading(`${request.method} ${request.path.split("?", 1)[0]}`));
    },
    close: () => transport.close(),
  };
}

/** Refuses a call to the driver that changes something unless `mayAct`: the error says that the driver never saw it. */
export function guardCall(method: string, mayAct: () => boolean): void {
  if (readsOnly(method) || mayAct()) return;
  const cause = notLeading(method);
  throw new GrpcError(Code.Canceled, cause.message, { origin: "unsent", cause });
}

/** Whether a call changes nothing: it may be made without being certain of leadership. */
function readsOnly(method: string): boolean {
  return /^(?:groupController|controller|node)?(?:get|list|probe|validate)/i.test(method);
}
