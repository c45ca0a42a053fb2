import type { V1Lease } from "../resources.ts";

/** client-go's LeaderElectionRecord. */
export interface LeaseRecord {
  /** Empty after a release. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly leaseTransitions: number;
}

/** A record and when it was first seen on the local monotonic clock: the times in the record are those of another machine. */
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

/** Whether nobody wrote in between. Every digit of the times counts: upstream's candidates see seconds, and less of what goes on. */
export function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holderIdentity === b.holderIdentity &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    a.leaseTransitions === b.leaseTransitions &&
    a.acquireTime === b.acquireTime &&
    a.renewTime === b.renewTime
  );
}

/** An unchanged record keeps the time it was first seen: from there it expires when its holder is dead. */
export function observe(before: Observation | undefined, record: LeaseRecord, at: number): Observation {
  return before && sameRecord(before.record, record) ? before : { record, at };
}

/** Whether the lease has not expired. The duration is the one its holder wrote, not ours. */
export function isValid({ record, at }: Observation, now: number): boolean {
  return record.holderIdentity !== "" && at + record.leaseDurationSeconds * 1000 > now;
}

export interface Candidate {
  readonly identity: string;
  readonly leaseDurationSeconds: number;
}

/** What we write to acquire or renew the lease. A renewal (`renews`) keeps the acquire time and the number of transitions. */
export function claimedRecord(
  me: Candidate,
  before: LeaseRecord | undefined,
  now: number,
  renews = before?.holderIdentity === me.identity,
): LeaseRecord {
  const time = microTime(now);
  return {
    holderIdentity: me.identity,
    leaseDurationSeconds: me.leaseDurationSeconds,
    acquireTime: before && renews ? before.acquireTime : time,
    renewTime: time,
    leaseTransitions: before ? before.leaseTransitions + (renews ? 0 : 1) : 0,
  };
}

/** What we write to release the lease, so that the next candidate need not wait. */
export function releasedRecord(before: LeaseRecord, now: number): LeaseRecord {
  const time = microTime(now);
  return { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time, leaseTransitions: before.leaseTransitions };
}

/**
 * The Lease to write: our record instead of the old one (other fields of `spec` belong to other election strategies and are removed),
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
