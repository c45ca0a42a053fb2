import {
  type CachedOf,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  fields,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from "@csi-sidecars/kube";

/** The fields that the controllers read of each kind, and therefore cache. */
export const claimFields = fields(PersistentVolumeClaim, {
  metadata: {
    annotations: true,
    deletionTimestamp: true,
    finalizers: true,
    ownerReferences: true,
  },
  spec: true,
  status: true,
});
export type Claim = CachedOf<typeof claimFields>;

export const volumeFields = fields(PersistentVolume, {
  metadata: {
    annotations: true,
    labels: true,
    deletionTimestamp: true,
    finalizers: true,
  },
  spec: {
    accessModes: true,
    capacity: true,
    claimRef: { name: true, namespace: true, uid: true },
    csi: { driver: true, volumeHandle: true },
    nodeAffinity: true,
    persistentVolumeReclaimPolicy: true,
    storageClassName: true,
    volumeAttributesClassName: true,
    volumeMode: true,
  },
  status: { phase: true },
});
export type Volume = CachedOf<typeof volumeFields>;

export const classFields = fields(StorageClass, {
  metadata: { annotations: true, creationTimestamp: true },
  provisioner: true,
  volumeBindingMode: true,
  allowedTopologies: true,
});
export type Class = CachedOf<typeof classFields>;

export const podFields = fields(Pod, {
  metadata: { deletionTimestamp: true, deletionGracePeriodSeconds: true },
  spec: {
    nodeName: true,
    nodeSelector: true,
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: true } },
    tolerations: true,
    schedulingGates: true,
    schedulerName: true,
    containers: [{ name: true, image: true }],
    volumes: [{ name: true, persistentVolumeClaim: { claimName: true, readOnly: true }, ephemeral: true }],
  },
  status: {
    phase: true,
    conditions: true,
    initContainerStatuses: [{ state: true }],
    containerStatuses: [{ state: true }],
    ephemeralContainerStatuses: [{ state: true }],
  },
});
export type ClusterPod = CachedOf<typeof podFields>;

export const nodeFields = fields(Node, {
  metadata: { annotations: true, labels: true },
  spec: { unschedulable: true, taints: true },
  status: { volumesInUse: true },
});
export type ClusterNode = CachedOf<typeof nodeFields>;

export const csiNodeFields = fields(CSINode, { spec: { drivers: [{ name: true, allocatable: { count: true } }] } });

export const driverFields = fields(CSIDriver, { spec: { attachRequired: true, storageCapacity: true } });
export type Driver = CachedOf<typeof driverFields>;

export const capacityFields = fields(CSIStorageCapacity, {
  capacity: true,
  maximumVolumeSize: true,
  nodeTopology: true,
  storageClassName: true,
});
export type StorageCapacity = CachedOf<typeof capacityFields>;

export const attachmentFields = fields(VolumeAttachment, {
  metadata: { deletionTimestamp: true },
  spec: { attacher: true, nodeName: true, source: { persistentVolumeName: true } },
  status: { attached: true, attachError: { message: true, time: true } },
});
export type Attachment = CachedOf<typeof attachmentFields>;
