import type { Clock, Logger } from "@csi-sidecars/base";
import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import { isForbidden, type LeaseClient, recordOf } from "@csi-sidecars/kube";
import type { BlockingLease } from "./blocking-leases.ts";
import type { LegacyLease } from "./leadership.ts";
import { readLease } from "./seize-lease.ts";

/** What one read of a migrated legacy lease shows. Nobody holds it, until a legacy sidecar comes back. */
export type LegacyLeaseReading =
  | { readonly state: "unheld" }
  | { readonly state: "held"; readonly holder: string }
  /** We may not read it. */
  | { readonly state: "forbidden" }
  /** It was not answered in time, or with an error. */
  | { readonly state: "unknown" };

export interface LegacyLeaseWatchOptions {
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly leases: readonly LegacyLease[];
  /** Whether a holder is this process, or one that led our consolidated lease before it. */
  isOurs(holder: string): boolean;
  readonly retryPeriodMs: number;
  /** Of one read together with its retries. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const periodMs = 60_000;
const minPauseMs = 1_000;
/** A legacy replica that waits for the lease tries to take it every 5 to 11 seconds: if there is one left, it shows in this time. */
const vigilantMs = 15_000;

/** Looks whether legacy sidecars hold leases again that were migrated: the marker of the migration outlives a roll-back. */
export class LegacyLeaseWatch {
  readonly #options: LegacyLeaseWatchOptions;
  #saidForbidden = false;

  constructor(options: LegacyLeaseWatchOptions) {
    this.#options = options;
  }

  /**
   * Reads these leases once, at the same time. Those that may be held have to be migrated again before work begins: one read cannot tell
   * a living holder from a dead one, and needs no clock to tell that there was one after the migration.
   */
  async mayBeHeld(leases: readonly LegacyLease[], signal: AbortSignal): Promise<readonly LegacyLease[]> {
    const readings = await Promise.all(leases.map(async (lease) => ({ lease, ...(await this.#read(lease, signal)) })));
    return readings.filter(({ state }) => state === "held" || state === "unknown").map(({ lease }) => lease);
  }

  /** Resolves with the leases that legacy sidecars hold as soon as there are any, and with none when the signal aborts first. */
  async heldAgain(signal: AbortSignal): Promise<readonly BlockingLease[]> {
    const { clock, isOurs, leases, retryPeriodMs } = this.#options;
    const vigilantUntil = clock.monotonic() + vigilantMs;
    while (!signal.aborted) {
      await clock.sleep(clock.monotonic() < vigilantUntil ? Math.max(minPauseMs, retryPeriodMs) : periodMs, signal).catch(() => undefined);
      if (signal.aborted) break;
      const readings = await Promise.all(leases.map(async (lease) => ({ lease, obstacle: await this.#read(lease, signal) })));
      const held = readings.flatMap(({ lease, obstacle }) =>
        obstacle.state === "held" && !isOurs(obstacle.holder) ? [{ lease, obstacle }] : [],
      );
      if (held.length > 0) return held;
    }
    return [];
  }

  async #read({ name }: LegacyLease, signal: AbortSignal): Promise<LegacyLeaseReading> {
    const { client, clock, log, namespace, timeoutMs } = this.#options;
    try {
      const lease = await readLease(client, { namespace, name }, { signal, timeoutMs, deadline: clock.monotonic() + timeoutMs });
      const holder = lease ? recordOf(lease).holderIdentity : "";
      return holder === "" ? { state: "unheld" } : { state: "held", holder };
    } catch (error) {
      if (isForbidden(error)) {
        this.#sayForbidden(error);
        return { state: "forbidden" };
      }
      if (!signal.aborted)
        log.v(2).info("Failed to read a legacy lease, will be retried", { legacyLease: `${namespace}/${name}`, err: String(error) });
      return { state: "unknown" };
    }
  }

  #sayForbidden(error: unknown): void {
    if (this.#saidForbidden) return;
    this.#saidForbidden = true;
    const { leases, log, namespace } = this.#options;
    log.error(
      error,
      "Legacy leases cannot be read, so a legacy sidecar that runs beside this process goes unnoticed: " +
        `allow get of leases (coordination.k8s.io) in namespace ${namespace}, or set --leader-election-migration=skip`,
      { legacyLeases: leases.map(({ name }) => name) },
    );
  }
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
