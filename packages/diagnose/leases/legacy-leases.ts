import type { Component } from "@csi-sidecars/host";
import { isMigrationIdentity, migratedControllers, sharedLeaseName } from "@csi-sidecars/host/sub-commands";
import { recordOf, sameRecord, sanitizeName, type V1Lease } from "@csi-sidecars/kube";

/** The lease of a sidecar that csi-sidecars has replaced, which the marker on its own lease says. */
export interface LegacyLeaseFound {
  readonly lease: V1Lease;
  readonly component: Component;
  /** The lease of csi-sidecars. */
  readonly ours: string;
}

export interface WhichDriver {
  readonly program: string;
  readonly components: readonly Component[];
  /** Only of this driver. */
  readonly driver?: string;
  /** The lease of csi-sidecars, where it does not have its usual name: whose driver it is cannot be read from it. */
  readonly leaseName?: string;
}

/** The legacy leases of migrated controllers that still exist, and the leases of csi-sidecars that do not tell their driver. */
export function findLegacyLeases(
  leases: readonly V1Lease[],
  { program, components, driver, leaseName }: WhichDriver,
): { readonly found: readonly LegacyLeaseFound[]; readonly unclear: readonly string[] } {
  const byName = new Map(leases.map((lease) => [lease.metadata?.name ?? "", lease]));
  const wanted = leaseName || (driver === undefined ? undefined : sharedLeaseName(program, driver));
  const unclear: string[] = [];
  const found = [...byName].flatMap(([ours, lease]) => {
    const migrated = migratedControllers(lease);
    if (migrated === "none" || (wanted !== undefined && ours !== wanted)) return [];
    const prefix = `${program}-`;
    const name = driver ?? (ours.startsWith(prefix) ? ours.slice(prefix.length) : undefined);
    if (name === undefined) unclear.push(ours);
    return name === undefined ? [] : components.flatMap((component) => legacyLeaseOf(byName, component, migrated, name, ours));
  });
  return { found, unclear };
}

function legacyLeaseOf(
  byName: ReadonlyMap<string, V1Lease>,
  component: Component,
  migrated: ReadonlySet<string> | "all",
  driver: string,
  ours: string,
): readonly LegacyLeaseFound[] {
  const { name, leadership, legacyLease } = component;
  if (leadership !== "required" || !legacyLease || (migrated !== "all" && !migrated.has(name))) return [];
  const lease = byName.get(sanitizeName(legacyLease(driver)));
  return lease && lease.metadata?.name !== ours ? [{ lease, component, ours }] : [];
}

/** Whether a lease may go, and why. `unclear`: it seems to have expired, but clocks differ: who looks again after its duration knows. */
export type Verdict = { readonly may: "go" | "stay" | "unclear"; readonly because: string };

export function judge({ lease, ours }: LegacyLeaseFound, now: number, longestWatchSeconds: number): Verdict {
  const { holderIdentity, leaseDurationSeconds, renewTime = "" } = recordOf(lease);
  if (holderIdentity === "") return { may: "go", because: "nobody holds it" };
  const who = isMigrationIdentity(holderIdentity, ours) ? "csi-sidecars, which takes it over" : holderIdentity;
  const expired = !(Date.parse(renewTime) + leaseDurationSeconds * 1000 > now);
  if (expired && leaseDurationSeconds > longestWatchSeconds)
    return {
      may: "stay",
      because: `last held by ${who} for ${leaseDurationSeconds} s at a time, which is too long to watch: delete it by hand if nobody uses it`,
    };
  return expired ? { may: "unclear", because: `last held by ${who}` } : { may: "stay", because: `held by ${who}` };
}

/** What a second look after the duration of the lease says. */
export function judgeAgain(before: LegacyLeaseFound, after: V1Lease | undefined): Verdict {
  const { holderIdentity } = recordOf(before.lease);
  if (!after) return { may: "stay", because: "it is gone already" };
  return sameRecord(recordOf(before.lease), recordOf(after))
    ? { may: "go", because: `expired; last held by ${holderIdentity}` }
    : { may: "stay", because: `held by ${recordOf(after).holderIdentity || holderIdentity}, which is alive` };
}
