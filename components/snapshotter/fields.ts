import {
  type CachedOf,
  fields,
  groupSnapshotAnnotation,
  snapshotAnnotation,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

/** What the snapshotter reads of contents, and therefore all that is cached. */
export const contentFields = fields(VolumeSnapshotContent, {
  metadata: {
    annotations: [
      snapshotAnnotation.beingCreated,
      snapshotAnnotation.beingDeleted,
      snapshotAnnotation.secretName,
      snapshotAnnotation.secretNamespace,
      snapshotAnnotation.groupHandle,
    ],
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
  status: {
    snapshotHandle: true,
    creationTime: true,
    readyToUse: true,
    restoreSize: true,
    error: { message: true },
    volumeGroupSnapshotHandle: true,
  },
});
export type Content = CachedOf<typeof contentFields>;

export const classFields = fields(VolumeSnapshotClass, { driver: true, parameters: true });
export type SnapshotClass = CachedOf<typeof classFields>;

export const groupContentFields = fields(VolumeGroupSnapshotContent, {
  metadata: {
    annotations: [
      groupSnapshotAnnotation.beingCreated,
      groupSnapshotAnnotation.beingDeleted,
      groupSnapshotAnnotation.secretName,
      groupSnapshotAnnotation.secretNamespace,
    ],
    finalizers: true,
    deletionTimestamp: true,
  },
  spec: {
    deletionPolicy: true,
    driver: true,
    source: { volumeHandles: true, groupSnapshotHandles: { volumeGroupSnapshotHandle: true, volumeSnapshotHandles: true } },
    volumeGroupSnapshotClassName: true,
    volumeGroupSnapshotRef: { name: true, namespace: true, uid: true },
  },
  status: {
    volumeGroupSnapshotHandle: true,
    creationTime: true,
    readyToUse: true,
    error: { message: true },
    volumeSnapshotInfoList: [{ snapshotHandle: true, volumeHandle: true }],
  },
});
export type GroupContent = CachedOf<typeof groupContentFields>;

export const groupClassFields = fields(VolumeGroupSnapshotClass, { driver: true, parameters: true });
