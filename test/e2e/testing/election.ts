import { ignoreNotFound, LeaderElector, Lease, type V1Lease } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";

export const namespace = "default";
/** The lease of the default driver of the tests. */
export const consolidatedLease = "csi-sidecars-driver-example-com";
export const attacherLease = "external-attacher-leader-driver-example-com";

/** Flags for an election that takes seconds. */
export const quickElection = [
  "--leader-election",
  "--leader-election-lease-duration=3s",
  "--leader-election-renew-deadline=2s",
  "--leader-election-retry-period=500ms",
] as const;
const quickTiming = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 500 };

/** `undefined` when it does not exist. */
export function leaseNamed(cluster: Cluster, name: string): Promise<V1Lease | undefined> {
  return ignoreNotFound(cluster.admin.get(Lease, { namespace, name }));
}

export async function holderOf(cluster: Cluster, name: string): Promise<string | undefined> {
  return (await leaseNamed(cluster, name))?.spec?.holderIdentity;
}

/** Creates a lease without a holder: whoever takes it acts at once, while the creator of a lease waits for its duration. */
export async function createFreeLease(cluster: Cluster, name: string): Promise<void> {
  await cluster.admin.create(Lease, { metadata: { namespace, name } });
}

/** Holds a lease as another sidecar would and renews it until it is disposed of. Resolves when it has it. */
export async function legacySidecar(cluster: Cluster, name: string, identity = "old-pod"): Promise<Disposable> {
  const stop = new AbortController();
  const holds = Promise.withResolvers<void>();
  const elector = new LeaderElector({
    ...{ client: cluster.admin, lease: { namespace, name }, identity, timing: quickTiming },
    onObserved: ({ spec }) => {
      if (spec?.holderIdentity === identity) holds.resolve();
    },
  });
  void elector.run(stop.signal);
  await holds.promise;
  return { [Symbol.dispose]: () => stop.abort() };
}
