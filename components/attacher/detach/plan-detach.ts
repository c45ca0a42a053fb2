import { hasFinalizer } from "@csi-sidecars/controller";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Attachment } from "../fields.ts";
import type { UnpublishCall } from "../publish-calls.ts";
import { nodeIdForDetach, type ResolvedAttachment } from "../resolved-attachment.ts";
import { findVolumeSource, publishSecretRef } from "../volume-source.ts";

export type DetachPlan =
  | { readonly step: "none"; readonly because: "not ours" | "not deleted" | "detached" }
  /** Nothing to call: tell the user why. */
  | { readonly step: "report"; readonly message: string }
  /** The driver has detached it; only the finalizer does not say so yet. */
  | { readonly step: "release" }
  /** The finalizer is removed too; only the status does not say so yet. */
  | { readonly step: "mark detached" }
  /** Call the driver, then remove the finalizer. */
  | ({ readonly step: "unpublish" } & UnpublishCall);

/** What this process knows of the attachment beside the caches. */
export interface DetachState {
  /** The driver's list contradicts the attachment. */
  readonly forced: boolean;
  /** This process has detached it, but could not save that in its finalizers or in its status. */
  readonly detached: boolean;
}

/**
 * What the present state asks for. Only the finalizer says whether the driver must be called: `attached: false` may mean that an attach
 * timed out, and a deleted attachment without our finalizer counts as detached, whatever its status says.
 */
export function planDetach(resolved: ResolvedAttachment, driver: DriverInfo, state: DetachState): DetachPlan {
  const { attachment } = resolved;
  if (attachment.spec.attacher !== driver.name) return { step: "none", because: "not ours" };
  if (!attachment.metadata.deletionTimestamp) return { step: "none", because: "not deleted" };
  if (hasFinalizer(attachment, driver.finalizer)) {
    if (state.detached && !state.forced) return { step: "release" };
  } else {
    if (state.detached && isStatusStale(attachment)) return { step: "mark detached" };
    if (!state.forced) return { step: "none", because: "detached" };
  }

  const source = findVolumeSource(resolved);
  if (source.error !== undefined) return { step: "report", message: source.error };
  const nodeId = nodeIdForDetach(resolved, driver.name);
  if (nodeId.error !== undefined) return { step: "report", message: nodeId.error };
  const { csi, migrated } = source.value;
  return { step: "unpublish", request: { volumeId: csi.volumeHandle, nodeId: nodeId.value }, secret: publishSecretRef(csi), migrated };
}

/** Whether the status of a detached attachment still says something else. */
export function isStatusStale({ status }: Attachment): boolean {
  return Boolean(status?.attached || status?.detachError);
}
