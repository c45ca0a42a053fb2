import { addFinalizerPatch, hasFinalizer, isProvisioner, removeFinalizerPatch } from "@csi-sidecars/controller";
import type { Patch } from "@csi-sidecars/kube";
import type { DriverFacts } from "../driver-facts.ts";
import type { Volume } from "../fields.ts";
import { annotation, finalizer } from "../names.ts";

export type VolumePlan =
  | { readonly step: "none" }
  | { readonly step: "protect" | "unprotect"; readonly patch: Patch }
  /** The driver's volume, then the object. */
  | { readonly step: "delete" };

/** What a volume's state asks of us. */
export function planVolume(volume: Volume, driver: Pick<DriverFacts, "name" | "inTreeName">): VolumePlan {
  if (!isVolumeOurs(volume, driver)) return { step: "none" };
  const { deletionTimestamp } = volume.metadata;
  const protectedNow = hasFinalizer(volume, finalizer.volume);
  const { persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  const phase = volume.status?.phase;
  if (policy === "Delete" && phase === "Bound" && !protectedNow && !deletionTimestamp) {
    return { step: "protect", patch: addFinalizerPatch(volume, finalizer.volume) };
  }
  if ((policy === "Retain" || policy === "Recycle") && protectedNow)
    return { step: "unprotect", patch: removeFinalizerPatch(volume, finalizer.volume) };
  if (!protectedNow && deletionTimestamp) return { step: "none" };
  return policy === "Delete" && phase === "Released" ? { step: "delete" } : { step: "none" };
}

/** Whether the driver, or the in-tree plugin that it replaced, provides the volume, however it came to be. */
export function isVolumeOurs({ metadata, spec }: Volume, driver: Pick<DriverFacts, "name" | "inTreeName">): boolean {
  const { [annotation.provisionedBy]: provisionedBy, [annotation.migratedTo]: migratedTo } = metadata.annotations ?? {};
  if (provisionedBy !== undefined) return isProvisioner(driver, provisionedBy) || isProvisioner(driver, migratedTo);
  return spec?.csi ? isProvisioner(driver, spec.csi.driver) : isProvisioner(driver, migratedTo);
}
