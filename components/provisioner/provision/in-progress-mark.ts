import { readAndUpdate, withFinalizer, withoutFinalizer } from "@csi-sidecars/controller";
import { type CallOptions, type Client, isNotFound, PersistentVolumeClaim, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { finalizer } from "../names.ts";

export function isMarkedInProgress({ metadata }: Claim): boolean {
  return metadata.finalizers?.includes(finalizer.inProgress) ?? false;
}

/**
 * Keeps the claim from going away before the driver has given its last word, over restarts too: what is still there after one is
 * provisioned again, deleted or not. Answers whether the claim has the mark. One that is being deleted takes no new finalizer: it
 * was never begun, or had its last word, and nobody would remember a call that is begun for it now. A mark that is only in the cache may
 * have been taken off long ago: after a restart of the API server requests succeed before the watch does.
 */
export async function markInProgress(client: Client, claim: Claim, options: CallOptions): Promise<boolean> {
  const { name, namespace, uid } = claim.metadata;
  const mark = (fresh: V1PersistentVolumeClaim) =>
    fresh.metadata?.uid === uid && !fresh.metadata?.deletionTimestamp ? withFinalizer(fresh, finalizer.inProgress) : undefined;
  const { metadata } = await readAndUpdate(client, PersistentVolumeClaim, { name, namespace }, mark, options);
  return metadata?.uid === uid && (metadata?.finalizers?.includes(finalizer.inProgress) ?? false);
}

/** Lets the claim go: its volume is saved, or there will be none. */
export async function unmarkInProgress(client: Client, claim: Claim, options: CallOptions): Promise<void> {
  const { name, namespace, uid } = claim.metadata;
  const unmark = (fresh: V1PersistentVolumeClaim) =>
    fresh.metadata?.uid === uid ? withoutFinalizer(fresh, finalizer.inProgress) : undefined;
  await readAndUpdate(client, PersistentVolumeClaim, { name, namespace }, unmark, options).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
