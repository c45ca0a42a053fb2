import type { Clock, Logger } from "@csi-sidecars/base";
import { isValid, type LeaseClient, type Observation, observe, recordOf, type V1Lease } from "@csi-sidecars/kube";
import type { Blocking } from "./blocking.ts";
import type { LegacyLease } from "./leadership.ts";
import { readLease } from "./seize.ts";

/** What the guard remembers of a lease; `absent` when it did not exist. */
export type Sight = Observation | "absent" | "unseen";

/** A lease that somebody wrote since we looked the last time, and holds now, has a legacy sidecar behind it. */
export function rolledBack(before: Sight, lease: V1Lease | undefined): boolean {
  if (!lease || before === "unseen") return false;
  const record = recordOf(lease);
  if (record.holderIdentity === "") return false;
  return before === "absent" || observe(before, record, 0) !== before;
}

/** Whether a holder may be alive without our having seen it renew: worth a second look soon. */
export function isSuspect(sight: Sight, now: number): boolean {
  return typeof sight === "object" && isValid(sight, now);
}

export interface GuardOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly leases: readonly LegacyLease[];
  readonly retryPeriodMs: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const periodMs = 60_000;
const shortestPauseMs = 1_000;

/**
 * Watches legacy leases while we run, because the marker outlives a roll-back: answers those that are held by a legacy sidecar as
 * soon as there are any, and nothing when the signal aborts first.
 */
export async function guard(options: GuardOptions): Promise<readonly Blocking[]> {
  const { clock, leases, retryPeriodMs, signal } = options;
  const sights = new Map<string, Sight>();
  while (!signal.aborted) {
    const held = (await Promise.all(leases.map((lease) => look(lease, sights, options)))).flatMap((each) => each ?? []);
    if (signal.aborted) break;
    if (held.length > 0) return held;
    const suspect = [...sights.values()].some((sight) => isSuspect(sight, clock.monotonic()));
    await clock.sleep(suspect ? Math.max(shortestPauseMs, retryPeriodMs) : periodMs, signal).catch(() => undefined);
  }
  return [];
}

async function look(lease: LegacyLease, sights: Map<string, Sight>, options: GuardOptions): Promise<Blocking | undefined> {
  const { client, clock, log, namespace, signal, timeoutMs } = options;
  const before = sights.get(lease.name) ?? "unseen";
  try {
    const found = await readLease(client, { namespace, name: lease.name }, { signal, timeoutMs });
    if (found && rolledBack(before, found)) return { lease, obstacle: { state: "held", holder: recordOf(found).holderIdentity } };
    sights.set(lease.name, found ? observe(typeof before === "object" ? before : undefined, recordOf(found), clock.monotonic()) : "absent");
  } catch (error) {
    if (!signal.aborted)
      log.v(2).info("Could not look at a legacy lease", { legacyLease: `${namespace}/${lease.name}`, error: String(error) });
  }
  return undefined;
}
