import { done, isNotFound, PersistentVolume, type Reconcile } from "@csi-sidecars/kube";
import { type AttacherContext, apiTimeoutMs } from "./attacher-context.ts";
import { planVolumeFinalizer } from "./plan-volume-finalizer.ts";

/** Lets a volume go that no attachment needs any more. `attachmentsOf` counts the attachments that name it. */
export const reconcileVolume =
  (c: Pick<AttacherContext, "kube" | "volumes" | "driver">, attachmentsOf: (volume: string) => number): Reconcile =>
  async (name, signal) => {
    const volume = c.volumes.get(name);
    if (!volume) return done;
    const plan = planVolumeFinalizer(volume, attachmentsOf(name), c.driver);
    if (plan.step === "none") return done;
    try {
      await c.volumes.write(name, () => c.kube.patch(PersistentVolume, { name }, plan.patch, { signal, timeoutMs: apiTimeoutMs }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return done;
  };
