import { isProvisioner, type SecretRef, secretReference } from "@csi-sidecars/controller";
import { storageClassName } from "@csi-sidecars/kube";
import { translateClass } from "@csi-sidecars/translation";
import { type DriverInfo, missingCapability } from "../driver-capabilities.ts";
import type { Attachment, Class, Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import { annotation } from "../names.ts";
import { matchesNode } from "../topology/node-affinity.ts";
import type { Labels } from "../topology/term.ts";
import { isProtected, planVolumeFinalizer, type VolumeFinalizerPlan } from "./volume-finalizer.ts";
import { handleOf } from "./volume-handle.ts";

export type VolumePlan =
  | { readonly step: "none" }
  | VolumeFinalizerPlan
  /** The driver's volume, then the object. */
  | { readonly step: "delete" };

/** What is to be done about a PersistentVolume. */
export function planVolume(volume: Volume, driver: Pick<DriverInfo, "name" | "inTreeName">): VolumePlan {
  if (!isVolumeOurs(volume, driver)) return { step: "none" };
  const finalizerPlan = planVolumeFinalizer(volume);
  if (finalizerPlan) return finalizerPlan;
  const isToBeDeleted = volume.spec?.persistentVolumeReclaimPolicy === "Delete" && volume.status?.phase === "Released";
  const isDeleted = volume.metadata.deletionTimestamp !== undefined && !isProtected(volume);
  return isToBeDeleted && !isDeleted ? { step: "delete" } : { step: "none" };
}

/** Whether the driver, or the in-tree plugin that it replaced, provides the volume, however it came to be. */
export function isVolumeOurs({ metadata, spec }: Volume, driver: Pick<DriverInfo, "name" | "inTreeName">): boolean {
  const { [annotation.provisionedBy]: provisionedBy, [annotation.migratedTo]: migratedTo } = metadata.annotations ?? {};
  if (provisionedBy !== undefined) return isProvisioner(driver, provisionedBy) || isProvisioner(driver, migratedTo);
  return spec?.csi ? isProvisioner(driver, spec.csi.driver) : isProvisioner(driver, migratedTo);
}

export type DeletePlan =
  /** Another node deletes it. */
  | { readonly step: "leave" }
  | { readonly step: "report"; readonly message: string }
  | { readonly step: "delete"; readonly volumeId: string; readonly secret: SecretRef | undefined; readonly migrated: boolean };

/** What is known when a volume is to be deleted. */
export interface DeleteVolumeOptions {
  readonly driver: DriverInfo;
  classOf(name: string): Class | undefined;
  /** The attachments that name the volume; none where the driver knows no attaching. */
  readonly attachments: readonly Attachment[];
  /** The topology of this node, in a node deployment. */
  readonly localNode: Labels | undefined;
}

/** How the volume is to be deleted, or why it cannot be. */
export function planDelete(volume: Volume, options: DeleteVolumeOptions): DeletePlan {
  const handle = handleOf(volume, options.driver);
  if ("error" in handle) return report(handle.error);
  if (options.localNode && Object.keys(options.localNode).length > 0) {
    const match = matchesNode(volume.spec?.nodeAffinity, options.localNode);
    if ("error" in match) return report(match.error);
    if (!match.matches) return { step: "leave" };
  }
  const missing = missingCapability(options.driver);
  if (missing !== undefined) return report(missing);
  const secret = secretOf(volume, options);
  if ("error" in secret) return report(`failed to get secretreference for volume ${volume.metadata.name}: ${secret.error}`);
  const [attachment] = options.attachments;
  if (attachment) return report(messages.stillAttached(volume.metadata.name, attachment.spec.nodeName));
  return { step: "delete", volumeId: handle.volumeId, migrated: handle.migrated, secret: secret.ref };
}

function report(message: string): DeletePlan {
  return { step: "report", message };
}

/** The volume remembers its secret; only one from before that was so is looked up in its class, which may have gone or changed. */
function secretOf(
  volume: Volume,
  { classOf, driver }: DeleteVolumeOptions,
): { readonly ref: SecretRef | undefined } | { readonly error: string } {
  const { [annotation.deletionSecretName]: name, [annotation.deletionSecretNamespace]: namespace } = volume.metadata.annotations ?? {};
  if (name !== undefined && namespace !== undefined) return { ref: name && namespace ? { name, namespace } : undefined };
  const found = classOf(storageClassName(volume));
  const { claimRef } = volume.spec ?? {};
  if (!found || !claimRef) return { ref: undefined };
  const translated = found.provisioner === driver.inTreeName ? translateClass(found, driver.name) : { value: found };
  if (translated.error !== undefined) return { error: translated.error };
  const claim = { name: claimRef.name ?? "", namespace: claimRef.namespace ?? "" };
  const resolved = secretReference("provisioner", translated.value.parameters ?? {}, { volume: volume.metadata.name, claim });
  return resolved.error === undefined ? { ref: resolved.value } : { error: resolved.error };
}
