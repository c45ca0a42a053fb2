import { Lease } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { consolidatedLease, leaseNamed, namespace } from "../../e2e/testing/election.ts";

export const status = "migration.csi.k8s.io/status";
export const migrated = "migration.csi.k8s.io/controllers";

/** Creates a lease that nobody renews: what a sidecar leaves that died, or with an empty holder one that released its lease. */
export async function deadLease(cluster: Cluster, name: string, holderIdentity: string, leaseDurationSeconds = 2): Promise<void> {
  const spec = { holderIdentity, leaseDurationSeconds, leaseTransitions: 4, renewTime: "2026-01-01T00:00:00.000000Z" };
  await cluster.admin.create(Lease, { metadata: { namespace, name }, spec });
}

/** Creates the consolidated lease as a migration of these controllers left it. */
export async function migratedLease(cluster: Cluster, controllers: string): Promise<void> {
  const annotations = { [status]: "completed", [migrated]: controllers };
  await cluster.admin.create(Lease, { metadata: { namespace, name: consolidatedLease, annotations }, spec: { leaseTransitions: 1 } });
}

/** What the consolidated lease says about the migration. */
export async function markerOf(cluster: Cluster): Promise<Readonly<Record<string, string>>> {
  const annotations = (await leaseNamed(cluster, consolidatedLease))?.metadata?.annotations ?? {};
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith("migration.")));
}
