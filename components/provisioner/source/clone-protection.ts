import { apiTimeoutMs, readAndUpdate, withoutFinalizer } from "@csi-sidecars/controller";
import { done, isNotFound, PersistentVolumeClaim, type Reconcile, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { sourcesInUse } from "../memory.ts";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { referredSource } from "./data-source.ts";

/** Whether the claim is being deleted and waits for its clones. */
export function awaitsClones({ metadata }: Claim): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(finalizer.cloneSource) ?? false);
}

/** The key of the claim that this one is a clone of, as long as it is not filled. */
export function pendingCloneOf(claim: Claim): string | undefined {
  const phase = claim.status?.phase ?? "Pending";
  return phase === "Pending" ? referredSource(claim, "PersistentVolumeClaim") : undefined;
}

/** Whether another driver's provisioner cares for the claim: two that let it go would only be in each other's way. */
function isAnothers({ volumes, driver }: ProvisionerContext, { spec }: Claim): boolean {
  const csi = volumes.get(spec?.volumeName ?? "")?.spec?.csi;
  return csi !== undefined && csi.driver !== driver.name;
}

/**
 * Lets a deleted claim go when its last clone is made. `clonesOf` are the unfilled claims that name it; the end of each
 * comes back here. Clones that are gone themselves, but whose call may be running, count too.
 */
export const reconcileCloneSource =
  (c: ProvisionerContext, clonesOf: (source: string) => readonly Claim[]): Reconcile =>
  async (key, signal) => {
    const claim = c.claims.get(key);
    if (!claim || !awaitsClones(claim) || c.memory.releasedSources.has(claim.metadata.uid) || isAnothers(c, claim)) return done;
    if (clonesOf(key).length > 0 || sourcesInUse(c.memory, "claim").has(key)) {
      throw new Error(`PVC '${claim.metadata.name}' is in 'Pending' state, cloning in progress`);
    }
    const { name, namespace, uid } = claim.metadata;
    const release = (fresh: V1PersistentVolumeClaim) => withoutFinalizer(fresh, finalizer.cloneSource);
    try {
      await readAndUpdate(c.kube, PersistentVolumeClaim, { name, namespace }, release, { signal, timeoutMs: apiTimeoutMs });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    if (c.claims.get(key)?.metadata.uid === uid) c.memory.releasedSources.add(uid);
    return done;
  };
