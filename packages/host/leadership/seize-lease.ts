import type { Clock, Logger } from "@csi-sidecars/base";
import {
  type CallOptions,
  claimedRecord,
  ignoreNotFound,
  isConflict,
  isForbidden,
  isNotFound,
  isValid,
  Lease,
  type LeaseClient,
  type ObjectRef,
  type Observation,
  recordOf,
  refKey,
  releasedRecord,
  sameRecord,
  type V1Lease,
  withRecord,
} from "@csi-sidecars/kube";

/** How far the seizure of one legacy lease has come. */
export type LegacyLeaseState =
  /** Nothing is known, or what was known may have changed. */
  | { readonly state: "unread" }
  /** It has a holder, dead or alive: it is dead if nothing changes for the duration that it wrote down. */
  | { readonly state: "watched"; readonly since: Observation }
  /** It does not exist; nothing is created. */
  | { readonly state: "free" }
  /** Ours since that moment of our monotonic clock. */
  | { readonly state: "seized"; readonly at: number }
  /** Its holder lives. */
  | { readonly state: "held"; readonly holder: string }
  /** We may not read or write it. */
  | { readonly state: "refused"; readonly reason: string };

/** The state after a read of the lease, or that it is to be taken. */
export function nextState(
  lease: V1Lease | undefined,
  before: LegacyLeaseState,
  isOurs: (holder: string) => boolean,
  now: number,
): LegacyLeaseState | "take" {
  if (!lease) return { state: "free" };
  const record = recordOf(lease);
  if (record.holderIdentity === "" || isOurs(record.holderIdentity)) return "take";
  if (before.state !== "watched") return { state: "watched", since: { record, at: now } };
  if (!sameRecord(before.since.record, record)) return { state: "held", holder: record.holderIdentity };
  return isValid(before.since, now) ? before : "take";
}

/** The duration that is written into a seized lease. It is not renewed before half of it has passed. */
const seizedSeconds = 60;

/** Whether a seized lease is ours for long enough to end the procedure; an older one is taken again first. */
export function isFresh(lease: LegacyLeaseState, now: number): boolean {
  return lease.state === "seized" && now - lease.at < (seizedSeconds * 1000) / 2;
}

export interface SeizeContext {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** See {@link migrationIdentity}. */
  readonly me: string;
  /** Whether a holder is this process, or one that led our consolidated lease before it. */
  isOurs(holder: string): boolean;
  /** Of each request together with its retries, and of a whole release. */
  readonly timeoutMs: number;
  /**
   * Aborts when the consolidated lease is lost or the process is to end: no request is sent after it. A write that is under way is
   * waited for, so that it can be undone. If the server carries it out even later, the lease expires by itself, or is taken over by the
   * next leader of our consolidated lease.
   */
  readonly signal: AbortSignal;
}

const conflictsInARow = 3;

/** Reads a lease, and tries to take it if that is due. `onTake` is called before each write. */
export async function seizeStep(
  ref: ObjectRef,
  before: LegacyLeaseState,
  context: SeizeContext,
  onTake: () => void,
): Promise<LegacyLeaseState> {
  const { client, clock, log, me, isOurs, signal, timeoutMs } = context;
  const limits = () => ({ timeoutMs, deadline: clock.monotonic() + timeoutMs });
  let state = before;
  for (let tries = 0; tries < conflictsInARow && !signal.aborted; tries++) {
    if (isFresh(state, clock.monotonic())) return state;
    try {
      const lease = await readLease(client, ref, { signal, ...limits() });
      const next = nextState(lease, state, isOurs, clock.monotonic());
      if (signal.aborted) return state;
      if (next !== "take" || !lease) return next === "take" ? { state: "free" } : next;
      const record = claimedRecord({ identity: me, leaseDurationSeconds: seizedSeconds }, recordOf(lease), clock.now());
      const at = clock.monotonic();
      onTake();
      await client.update(Lease, withRecord(lease, record, nothingElse), limits());
      return { state: "seized", at };
    } catch (error) {
      if (signal.aborted) return state;
      if (isForbidden(error)) return { state: "refused", reason: String(error) };
      if (!isConflict(error) && !isNotFound(error)) {
        log.error(error, "Failed to read or take the legacy lease", { legacyLease: refKey(ref) });
        return state.state === "watched" ? state : { state: "unread" };
      }
      state = { state: "unread" };
    }
  }
  return state;
}

/** Releases a lease if it is ours. A failure is only logged: the lease expires by itself. */
export async function releaseSeized(ref: ObjectRef, { client, clock, log, me, timeoutMs }: SeizeContext): Promise<void> {
  const limits = { timeoutMs, deadline: clock.monotonic() + timeoutMs };
  try {
    for (let tries = 1; ; tries++) {
      const lease = await readLease(client, ref, limits);
      if (!lease || recordOf(lease).holderIdentity !== me) return;
      try {
        await client.update(Lease, withRecord(lease, releasedRecord(recordOf(lease), clock.now()), nothingElse), limits);
        return;
      } catch (error) {
        if (!isConflict(error) || tries === conflictsInARow) throw error;
      }
    }
  } catch (error) {
    log.error(error, "Failed to release the legacy lease, it expires by itself", { legacyLease: refKey(ref) });
  }
}

/** `undefined` when it does not exist. */
export function readLease(client: LeaseClient, ref: ObjectRef, call: CallOptions): Promise<V1Lease | undefined> {
  return ignoreNotFound(client.get(Lease, ref, call));
}

/** A legacy lease gets no labels and annotations of ours. */
const nothingElse = { labels: {}, annotations: {} };
