import {
  type CachedOf,
  fields,
  PersistentVolume,
  PersistentVolumeClaim,
  ReferenceGrant,
  StorageClass,
  VolumeAttachment,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import { translatedFields } from "@csi-sidecars/translation";
import { annotation } from "./names.ts";
import { selectedNodeAnnotations } from "./topology/selected-node.ts";

/** What is read of claims, and therefore all that is cached. A template that reads an annotation of its own asks the API server. */
export const claimFields = fields(PersistentVolumeClaim, {
  metadata: {
    annotations: [
      annotation.provisioner,
      annotation.betaProvisioner,
      annotation.migratedTo,
      annotation.betaClass,
      ...selectedNodeAnnotations,
    ],
    finalizers: true,
    deletionTimestamp: true,
  },
  spec: {
    accessModes: true,
    dataSource: true,
    dataSourceRef: true,
    resources: { requests: ["storage"] },
    selector: true,
    storageClassName: true,
    volumeAttributesClassName: true,
    volumeMode: true,
    volumeName: true,
  },
  status: { phase: true },
});
export type Claim = CachedOf<typeof claimFields>;

const volumeMeta = {
  annotations: [
    annotation.provisionedBy,
    annotation.migratedTo,
    annotation.betaClass,
    annotation.deletionSecretName,
    annotation.deletionSecretNamespace,
  ],
  finalizers: true,
  deletionTimestamp: true,
} as const;
const volumeSpec = {
  persistentVolumeReclaimPolicy: true,
  claimRef: { name: true, namespace: true, uid: true },
  csi: { driver: true, volumeHandle: true },
  storageClassName: true,
} as const;

/** What is read of every driver's volumes. */
export const volumeFields = fields(PersistentVolume, { metadata: volumeMeta, spec: volumeSpec, status: { phase: true } });

/** With the nodes that reach a volume: for a node deployment and for publishing capacity. */
export const placedVolumeFields = fields(PersistentVolume, {
  metadata: volumeMeta,
  spec: { ...volumeSpec, nodeAffinity: true },
  status: { phase: true },
});

/** With what volumes of in-tree plugins have: only for a driver that replaced one. */
export const migratedVolumeFields = fields(PersistentVolume, {
  metadata: {
    ...volumeMeta,
    annotations: [...volumeMeta.annotations, ...translatedFields.annotations],
    labels: translatedFields.labels,
  },
  spec: {
    ...volumeSpec,
    nodeAffinity: true,
    ...translatedFields.spec,
  },
  status: { phase: true },
});
export type Volume = CachedOf<typeof migratedVolumeFields>;

export const classFields = fields(StorageClass, {
  provisioner: true,
  parameters: true,
  reclaimPolicy: true,
  mountOptions: true,
  volumeBindingMode: true,
  allowedTopologies: true,
});
export type Class = CachedOf<typeof classFields>;

export const attachmentFields = fields(VolumeAttachment, { spec: { nodeName: true, source: { persistentVolumeName: true } } });
export type Attachment = CachedOf<typeof attachmentFields>;

export const grantFields = fields(ReferenceGrant, { spec: true });
export type Grant = CachedOf<typeof grantFields>;

export const snapshotFields = fields(VolumeSnapshot, { metadata: { finalizers: true } });
export type Snapshot = CachedOf<typeof snapshotFields>;
