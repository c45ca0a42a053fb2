import type { EventReason, VolumeOperation } from "@csi-sidecars/host";
import type { V1Event } from "@csi-sidecars/kube";
import { lastSeen, oldestFirst } from "./events.ts";
import type { ResponsibleFor } from "./responsible-sidecar.ts";

/** The newest event about an operation, with what its reason means. */
export interface OperationEvent {
  readonly event: V1Event;
  readonly declared: EventReason;
}

/** What the events tell of an operation that is retried until it succeeds. */
export interface OperationHistory {
  readonly last: OperationEvent | undefined;
  /** What it failed with since it last succeeded. */
  readonly failure: OperationEvent | undefined;
  /** The beginning of an attempt that has not ended yet. */
  readonly attempt: OperationEvent | undefined;
}

/** Judges by all events: the newest alone says something else while an attempt runs than after it. */
export function historyOf(operation: VolumeOperation, events: readonly V1Event[], responsibleFor: ResponsibleFor): OperationHistory {
  const known = responsibleFor(operation)?.report.events ?? [];
  const all = oldestFirst(events).flatMap((event) => {
    const declared = known.find(({ reason }) => reason === event.reason);
    return declared ? [{ event, declared }] : [];
  });
  const last = all.at(-1);
  const unfinished = all.slice(all.findLastIndex(({ declared }) => declared.progress === "succeeded") + 1);
  const failures = unfinished.filter(({ declared }) => declared.progress === "failed");
  return {
    last,
    failure: failures.findLast(({ event }) => !isStillBusy(event)) ?? failures.at(-1),
    attempt: last?.declared.progress === "started" ? last : undefined,
  };
}

/** A driver that is still at the call of an earlier attempt: what became of that says more. */
function isStillBusy({ message = "" }: V1Event): boolean {
  return message.includes("rpc error: code = Aborted desc = ");
}

/** The newest of the events whose reasons the sidecar declares for the operation. */
export function lastEvent(
  operation: VolumeOperation,
  events: readonly V1Event[],
  responsibleFor: ResponsibleFor,
): OperationEvent | undefined {
  return historyOf(operation, events, responsibleFor).last;
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
