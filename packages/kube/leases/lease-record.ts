import type { V1Lease } from "../resources.ts";

/** What a Lease says about who leads. */
export interface LeaseRecord {
  /** Empty after a release. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly leaseTransitions: number;
}

/** A record and when we first saw it, on our own monotonic clock: the times in the record belong to another machine's clock. */
export interface Observation {
  readonly record: LeaseRecord;
  readonly at: number;
}

/** RFC 3339 in UTC with six fractional digits, as `metav1.MicroTime` is written. */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}

export function recordOf(lease: V1Lease): LeaseRecord {
  const { holderIdentity = "", leaseDurationSeconds = 0, acquireTime, renewTime, leaseTransitions = 0 } = lease.spec ?? {};
  return { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions };
}

/** Times count with the precision of a second, as upstream compares them. */
export function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.leaseTransitions === b.leaseTransitions &&
    wholeSeconds(a.acquireTime) === wholeSeconds(b.acquireTime) &&
    wholeSeconds(a.renewTime) === wholeSeconds(b.renewTime)
  );
}

function wholeSeconds(time: string | undefined): string | undefined {
  return time?.slice(0, "2026-01-01T00:00:00".length);
}

/** A record that did not change keeps the time it was first seen: that is what runs out when a holder is dead. */
export function observe(before: Observation | undefined, record: LeaseRecord, at: number): Observation {
  return before && sameRecord(before.record, record) ? before : { record, at };
}

/** Whether its holder is to be left alone. The duration is the one the holder wrote, not ours. */
export function isValid({ record, at }: Observation, now: number): boolean {
  return record.holderIdentity !== "" && at + record.leaseDurationSeconds * 1000 > now;
}

export interface Candidate {
  readonly identity: string;
  readonly leaseDurationSeconds: number;
}

/** What we write to get or keep the lease. Keeping it leaves the time of the acquisition and the number of changes as they are. */
export function claimedRecord(me: Candidate, before: LeaseRecord | undefined, now: number): LeaseRecord {
  const time = microTime(now);
  const kept = before?.holderIdentity === me.identity;
  return {
    holderIdentity: me.identity,
    leaseDurationSeconds: me.leaseDurationSeconds,
    acquireTime: kept ? before.acquireTime : time,
    renewTime: time,
    leaseTransitions: before ? before.leaseTransitions + (kept ? 0 : 1) : 0,
  };
}

/** What we write to give the lease back, so that the next candidate need not wait. */
export function releasedRecord(before: LeaseRecord, now: number): LeaseRecord {
  const time = microTime(now);
  return { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time, leaseTransitions: before.leaseTransitions };
}

/**
 * The Lease to write: our record in place of the old one (whatever else was in `spec` belongs to other election strategies and goes),
 * our labels and annotations beside those of others.
 */
export function withRecord(
  lease: V1Lease,
  record: LeaseRecord,
  mine: { readonly labels: Readonly<Record<string, string>>; readonly annotations: Readonly<Record<string, string>> },
): V1Lease {
  const { labels, annotations } = lease.metadata ?? {};
  return {
    ...lease,
    metadata: { ...lease.metadata, labels: merged(labels, mine.labels), annotations: merged(annotations, mine.annotations) },
    spec: record,
  };
}

function merged(theirs: Record<string, string> | undefined, mine: Readonly<Record<string, string>>): Record<string, string> | undefined {
  return theirs || Object.keys(mine).length > 0 ? { ...theirs, ...mine } : undefined;
}
