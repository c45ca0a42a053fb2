import {
  type CachedOf,
  fields,
  groupSnapshotAnnotation,
  managedByLabel,
  Node as NodeResource,
  PersistentVolume,
  PersistentVolumeClaim,
  snapshotAnnotation,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

/** What the controller reads of snapshots, and therefore all that is cached. */
export const snapshotFields = fields(VolumeSnapshot, {
  metadata: { finalizers: true, ownerReferences: true, deletionTimestamp: true },
  spec: { source: { persistentVolumeClaimName: true, volumeSnapshotContentName: true }, volumeSnapshotClassName: true },
  status: true,
});
export type Snapshot = CachedOf<typeof snapshotFields>;

export const contentFields = fields(VolumeSnapshotContent, {
  metadata: {
    annotations: [snapshotAnnotation.beingCreated, snapshotAnnotation.beingDeleted, snapshotAnnotation.groupHandle],
    finalizers: true,
    deletionTimestamp: true,
  },
  spec: {
    deletionPolicy: true,
    driver: true,
    source: { volumeHandle: true, snapshotHandle: true },
    volumeSnapshotClassName: true,
    volumeSnapshotRef: { name: true, namespace: true, uid: true },
  },
  status: true,
});
export type Content = CachedOf<typeof contentFields>;

export const classFields = fields(VolumeSnapshotClass, {
  metadata: { annotations: [snapshotAnnotation.defaultClass] },
  driver: true,
  deletionPolicy: true,
  parameters: true,
});
export type SnapshotClass = CachedOf<typeof classFields>;

/** Labels select the claims of a group; the data sources tell which snapshots are being restored. */
export const claimFields = fields(PersistentVolumeClaim, {
  metadata: { labels: true, finalizers: true, deletionTimestamp: true },
  spec: { volumeName: true, dataSource: true, dataSourceRef: true },
  status: { phase: true },
});
export type Claim = CachedOf<typeof claimFields>;

export const volumeFields = fields(PersistentVolume, {
  spec: {
    csi: { driver: true, volumeHandle: true },
    claimRef: { name: true, namespace: true, uid: true },
    volumeMode: true,
    nodeAffinity: true,
  },
});
export type Volume = CachedOf<typeof volumeFields>;

export const nodeFields = fields(NodeResource, { metadata: { labels: true } });
export type Node = CachedOf<typeof nodeFields>;

export const groupSnapshotFields = fields(VolumeGroupSnapshot, {
  metadata: { finalizers: true, deletionTimestamp: true },
  spec: { source: { selector: true, volumeGroupSnapshotContentName: true }, volumeGroupSnapshotClassName: true },
  status: true,
});
export type GroupSnapshot = CachedOf<typeof groupSnapshotFields>;

export const groupContentFields = fields(VolumeGroupSnapshotContent, {
  metadata: {
    annotations: [groupSnapshotAnnotation.beingDeleted, groupSnapshotAnnotation.secretName, groupSnapshotAnnotation.secretNamespace],
    labels: [managedByLabel],
    finalizers: true,
    deletionTimestamp: true,
  },
  spec: {
    deletionPolicy: true,
    driver: true,
    source: { volumeHandles: true, groupSnapshotHandles: { volumeGroupSnapshotHandle: true } },
    volumeGroupSnapshotClassName: true,
    volumeGroupSnapshotRef: { name: true, namespace: true, uid: true },
  },
  status: true,
});
export type GroupContent = CachedOf<typeof groupContentFields>;

export const groupClassFields = fields(VolumeGroupSnapshotClass, {
  metadata: { annotations: [groupSnapshotAnnotation.defaultClass] },
  driver: true,
  deletionPolicy: true,
  parameters: true,
});
export type GroupSnapshotClass = CachedOf<typeof groupClassFields>;
