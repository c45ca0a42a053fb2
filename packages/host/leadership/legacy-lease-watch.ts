import type { Clock, Logger } from "@csi-sidecars/base";
import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import { isValid, type LeaseClient, type Observation, observe, recordOf, type V1Lease } from "@csi-sidecars/kube";
import type { Blocking } from "./blocking-leases.ts";
import type { LegacyLease } from "./leadership.ts";
import { readLease } from "./seize-lease.ts";

/** What is remembered of a lease; `absent` when it did not exist. */
export type Sight = Observation | "absent" | "unseen";

/** Whether a legacy sidecar is behind a lease: somebody wrote it since the last look, and holds it now. */
export function rolledBack(before: Sight, lease: V1Lease | undefined): boolean {
  if (!lease || before === "unseen") return false;
  const record = recordOf(lease);
  if (record.holderIdentity === "") return false;
  return before === "absent" || observe(before, record, 0) !== before;
}

/** Whether a holder may be alive although it was not seen to renew: worth a second look soon. */
export function isSuspect(sight: Sight, now: number): boolean {
  return typeof sight === "object" && isValid(sight, now);
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
const shortestPauseMs = 1_000;

/**
 * Watches legacy leases while we lead, because the marker outlives a rollback: resolves with those that a legacy sidecar holds as
 * soon as there are any, and with none when the signal aborts first.
 */
export async function watchLegacyLeases(options: LegacyLeaseWatchOptions): Promise<readonly Blocking[]> {
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

async function look(lease: LegacyLease, sights: Map<string, Sight>, options: LegacyLeaseWatchOptions): Promise<Blocking | undefined> {
  const { client, clock, log, namespace, signal, timeoutMs } = options;
  const before = sights.get(lease.name) ?? "unseen";
  try {
    const found = await readLease(client, { namespace, name: lease.name }, { signal, timeoutMs });
    if (found && rolledBack(before, found)) return { lease, obstacle: { state: "held", holder: recordOf(found).holderIdentity } };
    sights.set(lease.name, found ? observe(typeof before === "object" ? before : undefined, recordOf(found), clock.monotonic()) : "absent");
  } catch (error) {
    if (!signal.aborted)
      log.v(2).info("Could not read a legacy lease", { legacyLease: `${namespace}/${lease.name}`, error: String(error) });
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
