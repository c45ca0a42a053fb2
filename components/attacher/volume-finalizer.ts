import { apiCallOptions, done, hasFinalizer, type Reconcile, removeFinalizerPatch, wrapError } from "@csi-sidecars/controller";
import { wellKnownAnnotation as annotation, ignoreNotFound, type Patch, PersistentVolume } from "@csi-sidecars/kube";
import { isInTree } from "@csi-sidecars/translation";
import { type AttacherContext, byVolume } from "./attacher-context.ts";
import type { DriverInfo } from "./driver-capabilities.ts";
import type { Volume } from "./fields.ts";

/** Keeps the volume from being deleted while it is attached. Returns it as it is now. */
export async function addVolumeFinalizer(c: AttacherContext, volume: Volume, patch: Patch, signal: AbortSignal): Promise<Volume> {
  try {
    return await patchVolume(c, volume, patch, signal);
  } catch (error) {
    throw wrapError("could not add PersistentVolume finalizer", error);
  }
}

/** Whether our finalizer has to go: the volume is being deleted, or no longer migrated to this driver. */
export function needsFinalizerWork(volume: Volume, driver: Pick<DriverInfo, "name" | "finalizer">): boolean {
  if (!hasFinalizer(volume, driver.finalizer)) return false;
  const { deletionTimestamp, annotations } = volume.metadata;
  return deletionTimestamp !== undefined || (isInTree(volume) && annotations?.[annotation.migratedTo] !== driver.name);
}

export type VolumeFinalizerPlan =
  | { readonly step: "none"; readonly because: "needed" | "not held" | "attached" }
  | { readonly step: "release"; readonly patch: Patch };

/** `attachments` counts the attachments of any driver, in any state, that name the volume: the last one's end comes back here. */
export function planVolumeFinalizer(
  volume: Volume,
  attachments: number,
  driver: Pick<DriverInfo, "name" | "finalizer">,
): VolumeFinalizerPlan {
  if (!hasFinalizer(volume, driver.finalizer)) return { step: "none", because: "not held" };
  if (!needsFinalizerWork(volume, driver)) return { step: "none", because: "needed" };
  if (attachments > 0) return { step: "none", because: "attached" };
  return { step: "release", patch: removeFinalizerPatch(volume, driver.finalizer) };
}

/** Removes our finalizer from volumes that no attachment needs any more. */
export const reconcileVolumeFinalizer =
  (c: AttacherContext): Reconcile =>
  async (name, signal) => {
    const volume = c.volumes.get(name);
    if (!volume) return done;
    const attachments = c.caches.attachments.byIndex(byVolume, name).length + c.state.orphansOfVolume(name);
    const plan = planVolumeFinalizer(volume, attachments, c.driver);
    if (plan.step === "release") await ignoreNotFound(patchVolume(c, volume, plan.patch, signal));
    return done;
  };

function patchVolume(c: AttacherContext, { metadata: { name } }: Volume, patch: Patch, signal: AbortSignal): Promise<Volume> {
  return c.volumes.write(name, () => c.kube.patch(PersistentVolume, { name }, patch, apiCallOptions(signal)));
}
