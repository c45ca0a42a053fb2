import {
  type CachedOf,
  fields,
  Node as NodeResource,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod as PodResource,
} from "@csi-sidecars/kube";

/** What the health monitor reads of volumes, and therefore all that is cached. */
export const volumeFields = fields(PersistentVolume, {
  metadata: { deletionTimestamp: true },
  spec: { csi: { driver: true, volumeHandle: true }, claimRef: { name: true, namespace: true, uid: true } },
  status: { phase: true },
});
export type Volume = CachedOf<typeof volumeFields>;

/** Claims are what events are about; nothing of them is read but their names. */
export const claimFields = fields(PersistentVolumeClaim, {});
export type Claim = CachedOf<typeof claimFields>;

/** What tells which claims a pod uses, and where. */
export const podFields = fields(PodResource, {
  spec: { nodeName: true, volumes: [{ name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} }] },
});
export type Pod = CachedOf<typeof podFields>;

export const nodeFields = fields(NodeResource, { status: { phase: true, conditions: [{ type: true, status: true }] } });
export type Node = CachedOf<typeof nodeFields>;
