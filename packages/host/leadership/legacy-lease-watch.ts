import type { Clock, Logger } from "@csi-sidecars/base";
import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import { isValid, type LeaseClient, type Observation, observe, recordOf, type V1Lease } from "@csi-sidecars/kube";
import type { BlockingLease } from "./blocking-leases.ts";
import type { LegacyLease } from "./leadership.ts";
import { readLease } from "./seize-lease.ts";

/** What the last read of a lease showed: `absent` when it did not exist, `unseen` before the first one. */
export type LeaseObservation = Observation | "absent" | "unseen";

/** Whether a legacy sidecar holds a lease again, as after a rollback: it was written since the last read, and has a holder now. */
export function isHeldAgain(before: LeaseObservation, lease: V1Lease | undefined): boolean {
  if (!lease || before === "unseen") return false;
  const record = recordOf(lease);
  if (record.holderIdentity === "") return false;
  return before === "absent" || observe(before, record, 0) !== before;
}

/** Whether a holder may be alive although it was not seen to renew: the lease is read again soon. */
export function isSuspect(observation: LeaseObservation, now: number): boolean {
  return typeof observation === "object" && isValid(observation, now);
}

export interface LegacyLeaseWatchOptions {
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
const minPauseMs = 1_000;

/**
 * Watches legacy leases while we lead, because the marker outlives a rollback: resolves with those that a legacy sidecar holds as
 * soon as there are any, and with none when the signal aborts first.
 */
export async function watchLegacyLeases(options: LegacyLeaseWatchOptions): Promise<readonly BlockingLease[]> {
  const { clock, leases, retryPeriodMs, signal } = options;
  const observations = new Map<string, LeaseObservation>();
  while (!signal.aborted) {
    const held = (await Promise.all(leases.map((lease) => checkLease(lease, observations, options)))).flatMap((each) => each ?? []);
    if (signal.aborted) break;
    if (held.length > 0) return held;
    const suspect = [...observations.values()].some((observation) => isSuspect(observation, clock.monotonic()));
    await clock.sleep(suspect ? Math.max(minPauseMs, retryPeriodMs) : periodMs, signal).catch(() => undefined);
  }
  return [];
}

async function checkLease(
  lease: LegacyLease,
  observations: Map<string, LeaseObservation>,
  options: LegacyLeaseWatchOptions,
): Promise<BlockingLease | undefined> {
  const { client, clock, log, namespace, signal, timeoutMs } = options;
  const before = observations.get(lease.name) ?? "unseen";
  try {
    const found = await readLease(client, { namespace, name: lease.name }, { signal, timeoutMs });
    if (found && isHeldAgain(before, found)) return { lease, obstacle: { state: "held", holder: recordOf(found).holderIdentity } };
    observations.set(
      lease.name,
      found ? observe(typeof before === "object" ? before : undefined, recordOf(found), clock.monotonic()) : "absent",
    );
  } catch (error) {
    if (!signal.aborted)
      log.v(2).info("Failed to read a legacy lease, will be retried", { legacyLease: `${namespace}/${lease.name}`, err: String(error) });
  }
  return undefined;
}

const heldMetric = "csi_sidecars_legacy_lease_held";

/** Whether a legacy sidecar renews its lease, for each lease that was read. One gauge for the process, however often it leads. */
export function legacyLeaseGauge(registry: Registry): (lease: string, held: boolean) => void {
  const known = registry.getSingleMetric(heldMetric);
  const gauge =
    known instanceof Gauge
      ? known
      : new Gauge({
          name: heldMetric,
          help: "Whether the leader election lease of a legacy sidecar is held by a sidecar that still runs.",
          labelNames: ["lease"],
          registers: [registry],
        });
  return (lease, held) => gauge.set({ lease }, held ? 1 : 0);
}
