import { type CachedOf, fields, PersistentVolume } from "@csi-sidecars/kube";

/** What it reads of volumes, and therefore all that is cached. */
export const volumeFields = fields(PersistentVolume, {
  metadata: { annotations: true, deletionTimestamp: true },
  spec: { csi: { driver: true } },
});
export type Volume = CachedOf<typeof volumeFields>;
