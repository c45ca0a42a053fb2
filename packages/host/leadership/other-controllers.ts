import type { Logger } from "@csi-sidecars/base";
import { recordOf, type V1Lease } from "@csi-sidecars/kube";

/** Says on a lease which components its holder runs. */
export const controllersAnnotation = "csi-sidecars.storage.k8s.io/controllers";

/** Tells, once per change, that a lease is held by a process with other components: two Deployments share a lease name by mistake. */
export function warnAboutOthers(controllers: readonly string[], identity: string, log: Logger): (lease: V1Lease) => void {
  const ours = [...controllers].sort().join(",");
  let told = ours;
  return (lease) => {
    const { holderIdentity } = recordOf(lease);
    const theirs = lease.metadata?.annotations?.[controllersAnnotation];
    if (theirs === undefined || theirs === told || holderIdentity === "" || holderIdentity === identity) return;
    told = theirs;
    if (theirs === ours) return;
    log.info("Warning: the lease is held by a process with other controllers; set --leader-election-lease-name if both are to run", {
      holder: holderIdentity,
      theirs,
      ours,
    });
  };
}
