import { addFinalizerPatch, apiCallOptions, hasFinalizer, removeFinalizerPatch } from "@csi-sidecars/controller";
import { ignoreNotFound, type Patch, PersistentVolume } from "@csi-sidecars/kube";
import type { Volume } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

/*
 * Our finalizer keeps a PersistentVolume that is deleted with its claim until the driver has deleted the volume. New volumes have it from
 * the first moment, others get it when they are bound; it is removed when the volume is deleted, or is to be retained.
 */

export function isProtected(volume: Volume): boolean {
  return hasFinalizer(volume, finalizer.volume);
}

/** Our finalizer on a new volume. The API server's default is Delete. A volume that is retained needs none, which would have to be removed again. */
export function initialFinalizers(reclaimPolicy: string | undefined): readonly string[] {
  return reclaimPolicy === undefined || reclaimPolicy === "Delete" ? [finalizer.volume] : [];
}

export interface VolumeFinalizerPlan {
  readonly step: "protect" | "unprotect";
  readonly patch: Patch;
}

/** Whether our finalizer is to be added to or removed from a volume of ours that exists. */
export function planVolumeFinalizer(volume: Volume): VolumeFinalizerPlan | undefined {
  const { persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  if (isProtected(volume)) {
    const isKept = policy === "Retain" || policy === "Recycle";
    return isKept ? { step: "unprotect", patch: removeFinalizerPatch(volume, finalizer.volume) } : undefined;
  }
  const isInUse = policy === "Delete" && volume.status?.phase === "Bound" && !volume.metadata.deletionTimestamp;
  return isInUse ? { step: "protect", patch: addFinalizerPatch(volume, finalizer.volume) } : undefined;
}

/** Lets the API server remove the PersistentVolume of a volume that is deleted. */
export async function removeVolumeFinalizer({ kube }: ProvisionerContext, volume: Volume, signal: AbortSignal): Promise<void> {
  const { name } = volume.metadata;
  await ignoreNotFound(kube.patch(PersistentVolume, { name }, removeFinalizerPatch(volume, finalizer.volume), apiCallOptions(signal)));
}
