import type { Patch } from "@csi-sidecars/kube";
import { isInTree } from "@csi-sidecars/translation";
import type { Volume } from "./fields.ts";
import { migratedToAnnotation } from "./names.ts";
import { removeFinalizerPatch } from "./patches.ts";
import type { DriverFacts } from "./plan-attach.ts";

export type VolumeFinalizerPlan =
  | { readonly step: "none"; readonly because: "needed" | "not held" | "attached" }
  | { readonly step: "release"; readonly patch: Patch };

/** Whether our finalizer has no business on the volume (any more): it is being deleted, or no longer migrated to this driver. */
export function needsFinalizerWork(volume: Volume, driver: Pick<DriverFacts, "name" | "finalizer">): boolean {
  const { finalizers, deletionTimestamp, annotations } = volume.metadata;
  if (!finalizers?.includes(driver.finalizer)) return false;
  return deletionTimestamp !== undefined || (isInTree(volume) && annotations?.[migratedToAnnotation] !== driver.name);
}

/** `attachments` counts the attachments of any driver, in any state, that name the volume: the last one's end comes back here. */
export function planVolumeFinalizer(
  volume: Volume,
  attachments: number,
  driver: Pick<DriverFacts, "name" | "finalizer">,
): VolumeFinalizerPlan {
  if (!volume.metadata.finalizers?.includes(driver.finalizer)) return { step: "none", because: "not held" };
  if (!needsFinalizerWork(volume, driver)) return { step: "none", because: "needed" };
  if (attachments > 0) return { step: "none", because: "attached" };
  return { step: "release", patch: removeFinalizerPatch(volume, driver.finalizer) };
}
