import { apiCallOptions, hasFinalizer, readAndUpdate, withFinalizer, withoutFinalizer } from "@csi-sidecars/controller";
import { type CallOptions, type Client, ignoreNotFound, PersistentVolumeClaim, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

export function hasInProgressFinalizer(claim: Claim): boolean {
  return hasFinalizer(claim, finalizer.inProgress);
}

/**
 * Keeps the claim from going away before the driver has given a definite answer, over restarts too: a claim that has the finalizer after
 * one is provisioned again, deleted or not. Returns whether the claim has it. A claim that is being deleted takes no new finalizer, and
 * a call for it would be forgotten by a restart. The cache is not trusted: after a restart of the API server requests succeed before
 * the watch does, and the finalizer may have been removed long ago.
 */
export async function addInProgressFinalizer(client: Client, claim: Claim, options: CallOptions): Promise<boolean> {
  const { name, namespace, uid } = claim.metadata;
  const add = (fresh: V1PersistentVolumeClaim) =>
    fresh.metadata?.uid === uid && !fresh.metadata?.deletionTimestamp ? withFinalizer(fresh, finalizer.inProgress) : undefined;
  const { metadata } = await readAndUpdate(client, PersistentVolumeClaim, { name, namespace }, add, options);
  return metadata?.uid === uid && (metadata?.finalizers?.includes(finalizer.inProgress) ?? false);
}

/** Nothing is running for the claim any more: its volume is saved, or there will be none. */
export async function removeInProgressFinalizer(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<void> {
  const current = c.unfinishedClaim(claim.metadata.uid) ?? claim;
  if (!c.settings.inProgressFinalizer && !hasInProgressFinalizer(current)) return;
  const { name, namespace, uid } = current.metadata;
  const remove = (fresh: V1PersistentVolumeClaim) =>
    fresh.metadata?.uid === uid ? withoutFinalizer(fresh, finalizer.inProgress) : undefined;
  const options = apiCallOptions(signal);
  await ignoreNotFound(readAndUpdate(c.kube, PersistentVolumeClaim, { name, namespace }, remove, options));
}

/**
 * The claim's volume is created. The finalizer stays until the PersistentVolume is saved, and until the cluster, which writes the claim
 * too, has bound the two; a deleted claim is not bound.
 */
export async function removeFinalizerWhenSaved(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<void> {
  if (c.state.unsavedVolume(c.state.provisionedVolume(claim.metadata.uid) ?? "")) return;
  if (claim.metadata.deletionTimestamp || claim.status?.phase === "Bound") await removeInProgressFinalizer(c, claim, signal);
}
