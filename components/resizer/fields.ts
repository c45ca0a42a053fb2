import {
  wellKnownAnnotation as annotation,
  type CachedOf,
  fields,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod as PodResource,
  VolumeAttributesClass,
} from "@csi-sidecars/kube";
import { translatedFields } from "@csi-sidecars/translation";

/** What the resizer reads of claims, and therefore all that is cached. */
export const claimFields = fields(PersistentVolumeClaim, {
  metadata: { annotations: [annotation.storageResizer, annotation.nodeExpansionNotRequired], ownerReferences: [{ uid: true }] },
  spec: { resources: { requests: ["storage"] }, volumeName: true, volumeAttributesClassName: true },
  status: {
    phase: true,
    capacity: ["storage"],
    conditions: true,
    allocatedResources: ["storage"],
    allocatedResourceStatuses: true,
    currentVolumeAttributesClassName: true,
    modifyVolumeStatus: true,
  },
});
export type Claim = CachedOf<typeof claimFields>;

const volumeMeta = {
  annotations: [annotation.preResizeCapacity, annotation.modifySecretName, annotation.modifySecretNamespace],
} as const;
const volumeSpec = {
  capacity: ["storage"],
  accessModes: true,
  mountOptions: true,
  volumeMode: true,
  csi: { driver: true, volumeHandle: true, fsType: true, controllerExpandSecretRef: true },
  claimRef: { name: true, namespace: true, uid: true },
  volumeAttributesClassName: true,
} as const;

export const volumeFields = fields(PersistentVolume, { metadata: volumeMeta, spec: volumeSpec });

/** With what volumes of in-tree plugins have: only for a driver that replaced one. */
export const migratedVolumeFields = fields(PersistentVolume, {
  metadata: { annotations: [...volumeMeta.annotations, ...translatedFields.annotations], labels: translatedFields.labels },
  spec: { ...volumeSpec, ...translatedFields.spec },
});
export type Volume = CachedOf<typeof migratedVolumeFields>;

export const attributesClassFields = fields(VolumeAttributesClass, { driverName: true, parameters: true });
export type AttributesClass = CachedOf<typeof attributesClassFields>;

/** What tells which claims a pod uses. */
export const podFields = fields(PodResource, {
  spec: { volumes: [{ name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} }] },
  status: { phase: true },
});
export type Pod = CachedOf<typeof podFields>;
