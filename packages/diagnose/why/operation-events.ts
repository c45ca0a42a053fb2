import type { EventReason, VolumeOperation } from "@csi-sidecars/host";
import type { V1Event } from "@csi-sidecars/kube";
import { lastSeen, newest } from "./events.ts";
import type { ResponsibleFor } from "./responsible-sidecar.ts";

/** The newest event about an operation, with what its reason means. */
export interface OperationEvent {
  readonly event: V1Event;
  readonly declared: EventReason;
}

/** The newest of the events whose reasons the sidecar declares for the operation. */
export function lastEvent(
  operation: VolumeOperation,
  events: readonly V1Event[],
  responsibleFor: ResponsibleFor,
): OperationEvent | undefined {
  const known = responsibleFor(operation)?.report.events ?? [];
  const event = newest(events, ...known.map(({ reason }) => reason));
  const declared = known.find(({ reason }) => reason === event?.reason);
  return event && declared && { event, declared };
}

/** When the sidecar last reported something about the object, in milliseconds since the epoch; 0 for never. */
export const reportedAt = (last: OperationEvent | undefined) => (last ? lastSeen(last.event) : 0);

/** What the progress of an operation means to the owner of the volume. */
export function meaningOf(operation: VolumeOperation, progress: EventReason["progress"], responsibleFor: ResponsibleFor): string {
  return (
    responsibleFor(operation)?.report.events.find((event) => event.progress === progress)?.meaning ??
    `to ${operation} the volume ${progress}`
  );
}
