import type { Patch } from "@csi-sidecars/kube";
import { strategicMergePatch } from "@csi-sidecars/kube";
import { type DriverFacts, isOurs } from "../driver-facts.ts";
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
  const protectedNow = isProtected(volume);
  const { persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  const phase = volume.status?.phase;
  if (policy === "Delete" && phase === "Bound" && !protectedNow && !deletionTimestamp) {
    return { step: "protect", patch: protectPatch(volume) };
  }
  if ((policy === "Retain" || policy === "Recycle") && protectedNow) return { step: "unprotect", patch: unprotectPatch(volume) };
  if (!protectedNow && deletionTimestamp) return { step: "none" };
  return policy === "Delete" && phase === "Released" ? { step: "delete" } : { step: "none" };
}

/** Whether the driver, or the in-tree plugin that it replaced, provides the volume, however it came to be. */
export function isVolumeOurs({ metadata, spec }: Volume, driver: Pick<DriverFacts, "name" | "inTreeName">): boolean {
  const { [annotation.provisionedBy]: provisionedBy, [annotation.migratedTo]: migratedTo } = metadata.annotations ?? {};
  if (provisionedBy !== undefined) return isOurs(driver, provisionedBy) || isOurs(driver, migratedTo);
  return spec?.csi ? isOurs(driver, spec.csi.driver) : isOurs(driver, migratedTo);
}

export function isProtected({ metadata }: Pick<Volume, "metadata">): boolean {
  return metadata.finalizers?.includes(finalizer.volume) ?? false;
}

/** Names the one finalizer that is ours, so that whatever others did to the list since it was cached stays. */
export function unprotectPatch({ metadata: { uid } }: Volume): Patch {
  return strategicMergePatch({ metadata: { uid, "$deleteFromPrimitiveList/finalizers": [finalizer.volume] } });
}

function protectPatch({ metadata: { uid, finalizers = [] } }: Volume): Patch {
  const order = { "$setElementOrder/finalizers": [...finalizers, finalizer.volume] };
  return strategicMergePatch({ metadata: { uid, finalizers: [finalizer.volume], ...order } });
}
