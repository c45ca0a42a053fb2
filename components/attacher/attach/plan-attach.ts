import { addFinalizerPatch, hasFinalizer } from "@csi-sidecars/controller";
import { volumeCapability } from "@csi-sidecars/csi";
import type { Patch } from "@csi-sidecars/kube";
import { preparePatch } from "../attachment-patches.ts";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Volume } from "../fields.ts";
import type { PublishCall } from "../publish-calls.ts";
import { nodeIdForAttach, type ResolvedAttachment } from "../resolved-attachment.ts";
import { findVolumeSource, publishSecretRef } from "../volume-source.ts";

export type AttachPlan =
  | { readonly step: "none"; readonly because: "not ours" | "deleting" | "attached" }
  /** Nothing to call: tell the user why. */
  | { readonly step: "report"; readonly message: string }
  /** The volume must not be deleted while it is attached: its finalizer comes before everything else. */
  | { readonly step: "add volume finalizer"; readonly volume: Volume; readonly patch: Patch }
  | PublishPlan;

/** Read the secret, store `prepare`, then call the driver. */
export interface PublishPlan extends PublishCall {
  readonly step: "publish";
  /** Stores the finalizer and the node ID in the attachment; `undefined` when they are there. */
  readonly prepare: Patch | undefined;
}

/**
 * What the present state asks for. All that can be checked is checked before the attachment gets its finalizer, which would keep an
 * attachment that can never succeed from being deleted. `forced`: the driver does not list the volume as attached.
 */
export function planAttach(resolved: ResolvedAttachment, driver: DriverInfo, forced = false): AttachPlan {
  const { attachment, volume } = resolved;
  if (attachment.spec.attacher !== driver.name) return { step: "none", because: "not ours" };
  if (attachment.metadata.deletionTimestamp) return { step: "none", because: "deleting" };
  if (attachment.status?.attached && !forced) return { step: "none", because: "attached" };

  if (volume && !attachment.spec.source.inlineVolumeSpec) {
    const { name, deletionTimestamp } = volume.metadata;
    if (deletionTimestamp) return report(`PersistentVolume "${name}" is marked for deletion`);
    if (!hasFinalizer(volume, driver.finalizer)) {
      return { step: "add volume finalizer", volume, patch: addFinalizerPatch(volume, driver.finalizer) };
    }
  }
  const source = findVolumeSource(resolved);
  if (source.error !== undefined) return report(source.error);
  const { csi, migrated } = source.value;
  const capability = volumeCapability({ ...source.value, fsType: csi.fsType || driver.defaultFsType }, driver);
  if (capability.error !== undefined) return report(capability.error);
  const nodeId = nodeIdForAttach(resolved, driver.name);
  if (nodeId.error !== undefined) return report(nodeId.error);

  return {
    step: "publish",
    request: {
      volumeId: csi.volumeHandle,
      nodeId: nodeId.value,
      volumeCapability: capability.value,
      readonly: driver.publishReadonly && csi.readOnly === true,
      volumeContext: { ...csi.volumeAttributes },
    },
    secret: publishSecretRef(csi),
    prepare: preparePatch(attachment, driver.finalizer, nodeId.value),
    migrated,
  };
}

function report(message: string): AttachPlan {
  return { step: "report", message };
}
