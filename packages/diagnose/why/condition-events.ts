import type { ConditionReason, VolumeCondition } from "@csi-sidecars/host";
import type { V1Event } from "@csi-sidecars/kube";
import { firstSeen, lastSeen } from "./events.ts";
import type { ReportOn } from "./responsible-sidecar.ts";

/** The newest event about a condition, with what its reason means. */
export interface ConditionEvent {
  readonly event: V1Event;
  readonly declared: ConditionReason;
  /** Which one it is about, where a claim may have the condition more than once: a node. */
  readonly subject?: string;
  /** Since when the condition is as the event says, as far as events tell: RFC 3339. */
  readonly since?: string;
}

/** The newest event about a condition, for each that it is about. `events` are sorted, the oldest first. */
export function lastConditions(condition: VolumeCondition, events: readonly V1Event[], reportOn: ReportOn): readonly ConditionEvent[] {
  const known = reportOn(condition)?.events ?? [];
  const newest = new Map<string | undefined, ConditionEvent>();
  for (const event of events) {
    const declared = known.find(({ reason }) => reason === event.reason);
    if (!declared) continue;
    const subject = declared.subjectIn?.(event.message ?? "");
    const since = sinceWhen(event, declared, newest.get(subject));
    newest.set(subject, { event, declared, ...(subject !== undefined && { subject }), ...(since !== undefined && { since }) });
  }
  return [...newest.values()];
}

/**
 * An event is counted on when the same happens again: its first time may be one before the condition changed and changed back. Another event
 * of the same state, as one with another message, goes on with the state of the one before it.
 */
function sinceWhen(event: V1Event, { state }: ConditionReason, before: ConditionEvent | undefined): string | undefined {
  const first = firstSeen(event);
  if (!before) return first;
  if (before.declared.state === state) return earlier(before.since, first);
  const changedAfter = lastSeen(before.event);
  return first !== undefined && Date.parse(first) >= changedAfter ? first : new Date(changedAfter).toISOString();
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  return a !== undefined && (b === undefined || Date.parse(a) <= Date.parse(b)) ? a : b;
}
