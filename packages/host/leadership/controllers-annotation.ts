import type { Logger } from "@csi-sidecars/base";
import { recordOf, type V1Lease } from "@csi-sidecars/kube";

/** The components that the holder of a lease runs. */
export const controllersAnnotation = "csi-sidecars.storage.k8s.io/controllers";

/** A set of components as the annotation has it. */
export function controllersText(controllers: readonly string[]): string {
  return [...controllers].sort().join(",");
}

/**
 * Warns, once per change, that a lease is held by a living process with other components: two Deployments share a lease name by
 * mistake. To be called with each change of the lease; a holder that was seen only once may be dead.
 */
export function warnAboutOthers(controllers: readonly string[], identity: string, log: Logger): (lease: V1Lease) => void {
  const ours = controllersText(controllers);
  let seen: string | undefined;
  let told = ours;
  return (lease) => {
    const { holderIdentity } = recordOf(lease);
    const theirs = lease.metadata?.annotations?.[controllersAnnotation];
    const lives = holderIdentity === seen;
    seen = holderIdentity;
    if (!lives || theirs === undefined || theirs === told || holderIdentity === "" || holderIdentity === identity) return;
    told = theirs;
    if (theirs === ours) return;
    log.info("Warning: the lease is held by a process with other controllers; set --leader-election-lease-name if both are to run", {
      holder: holderIdentity,
      theirs,
      ours,
    });
  };
}
