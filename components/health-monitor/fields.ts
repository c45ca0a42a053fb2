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

/** With the pod that a claim of an ephemeral volume was made for: only to watch nodes. */
export const ownedClaimFields = fields(PersistentVolumeClaim, { metadata: { ownerReferences: [{ uid: true }] } });
export type OwnedClaim = CachedOf<typeof ownedClaimFields>;

/** What tells which claims a pod uses, and where. */
export const podFields = fields(PodResource, {
  spec: { nodeName: true, volumes: [{ name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} }] },
  status: { phase: true },
});
export type Pod = CachedOf<typeof podFields>;

/** What tells whether a node is ready, and since when it is not. */
export const nodeFields = fields(NodeResource, {
  status: { phase: true, conditions: [{ type: true, status: true, lastTransitionTime: true }] },
});
export type Node = CachedOf<typeof nodeFields>;
