import type { Permit } from "@csi-sidecars/base";
import { Code, type DriverCallOptions, GrpcError } from "@csi-sidecars/csi";
import type { EventRecorder, Transport } from "@csi-sidecars/kube";

/**
 * A transport that sends writes to the API server only with a permit, and closes the connections of those in flight when it is withdrawn:
 * what was written to such a connection and has not arrived yet never does.
 */
export function guardedTransport(transport: Transport, permit: Permit): Transport {
  return {
    request: (request) => transport.request(request.method === "GET" ? request : { ...request, permit }),
    close: () => transport.close(),
  };
}

/**
 * The options of a call to the driver: one that changes something is sent only with a permit, and canceled when it is withdrawn. Throws
 * where there is none, so that nobody waits for a driver that is away and must not be called anyway.
 */
export function guardedCall(method: string, permit: Permit, options: DriverCallOptions): DriverCallOptions {
  if (readsOnly(method)) return options;
  const refusal = permit.refusal();
  if (!refusal) return { ...options, permit };
  throw new GrpcError(Code.Canceled, `${method} was refused: ${refusal.message}`, { origin: "unsent", cause: refusal });
}

/** Records nothing without a permit: what a call that was canceled says about a volume is not true for whoever leads next. */
export function guardedEvents(recorder: EventRecorder, permit: Permit): EventRecorder {
  return {
    event(...about) {
      if (!permit.refusal()) recorder.event(...about);
    },
  };
}

/** Whether a call changes nothing: it may be made without being certain of leadership. */
function readsOnly(method: string): boolean {
  return /^(?:groupController|controller|node)?(?:get|list|probe|validate)/i.test(method);
}
