import { type CachedOf, fields, PersistentVolumeClaim, VolumePopulator } from "@csi-sidecars/kube";

/** What the validator reads of claims, and therefore all that is cached. */
export const claimFields = fields(PersistentVolumeClaim, {
  metadata: { deletionTimestamp: true },
  spec: { dataSourceRef: { apiGroup: true, kind: true } },
  status: { phase: true },
});
export type Claim = CachedOf<typeof claimFields>;

export const populatorFields = fields(VolumePopulator, { sourceKind: { group: true, kind: true } });
export type Populator = CachedOf<typeof populatorFields>;
