import {
  apiCallOptions,
  done,
  hasFinalizer,
  type Reconcile,
  readAndUpdate,
  retry,
  withFinalizer,
  withoutFinalizer,
} from "@csi-sidecars/controller";
import { type CallOptions, type Client, ignoreNotFound, PersistentVolumeClaim, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

/** Adds our finalizer to a claim while it is cloned. It stays until the claim is deleted. No request where the cache shows it. */
export async function protectClaim(client: Client, cached: Claim, options: CallOptions): Promise<void> {
  if (cached.metadata.finalizers?.includes(finalizer.cloneSource)) return;
  const ref = { name: cached.metadata.name, namespace: cached.metadata.namespace };
  await readAndUpdate(client, PersistentVolumeClaim, ref, (fresh) => withFinalizer(fresh, finalizer.cloneSource), options);
}

/** Whether the claim is being deleted and waits for its clones. */
export function awaitsClones(claim: Claim): boolean {
  return claim.metadata.deletionTimestamp !== undefined && hasFinalizer(claim, finalizer.cloneSource);
}

/** Whether another driver's provisioner releases the claim: two of them would only be in each other's way. */
function isOfOtherDriver({ volumes, driver }: ProvisionerContext, { spec }: Claim): boolean {
  const csi = volumes.get(spec?.volumeName ?? "")?.spec?.csi;
  return csi !== undefined && csi.driver !== driver.name;
}

/**
 * Removes our finalizer from a deleted claim when its last clone is created. The end of each clone enqueues its source again. Clones
 * whose claims are gone, but whose call may be running, count too.
 */
export const reconcileCloneSource =
  (c: ProvisionerContext): Reconcile =>
  async (key, signal) => {
    const claim = c.claims.get(key);
    if (!claim || !awaitsClones(claim) || c.state.isSourceReleased(claim.metadata.uid) || isOfOtherDriver(c, claim)) return done;
    if (c.claimsCloning(key).length > 0 || c.state.sourcesInUse("claim").has(key)) {
      c.log.v(4).info("The claim is being cloned: its finalizer stays", { claim: key });
      return retry;
    }
    const { name, namespace, uid } = claim.metadata;
    const release = (fresh: V1PersistentVolumeClaim) =>
      fresh.metadata?.uid === uid ? withoutFinalizer(fresh, finalizer.cloneSource) : undefined;
    const options = apiCallOptions(signal);
    await ignoreNotFound(readAndUpdate(c.kube, PersistentVolumeClaim, { name, namespace }, release, options));
    if (c.claims.get(key)?.metadata.uid === uid) c.state.sourceReleased(uid);
    return done;
  };
