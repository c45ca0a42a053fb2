import { fields, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "@csi-sidecars/kube";

/** What attacher, provisioner and resizer together read of a volume. */
export const volumeFields = fields(PersistentVolume, {
  metadata: {
    annotations: [
      "pv.kubernetes.io/provisioned-by",
      "pv.kubernetes.io/migrated-to",
      "volume.kubernetes.io/provisioner-deletion-secret-name",
      "volume.kubernetes.io/provisioner-deletion-secret-namespace",
      "volume.kubernetes.io/controller-modify-secret-name",
      "volume.kubernetes.io/controller-modify-secret-namespace",
      "volume.alpha.kubernetes.io/pre-resize-capacity",
    ],
    finalizers: true,
    deletionTimestamp: true,
  },
  spec: {
    accessModes: true,
    capacity: ["storage"],
    claimRef: { namespace: true, name: true, uid: true },
    csi: true,
    mountOptions: true,
    persistentVolumeReclaimPolicy: true,
    storageClassName: true,
    volumeMode: true,
    volumeAttributesClassName: true,
  },
  status: { phase: true },
});

/** What provisioner and resizer together read of a claim. */
export const claimFields = fields(PersistentVolumeClaim, {
  metadata: {
    annotations: [
      "volume.kubernetes.io/storage-provisioner",
      "volume.beta.kubernetes.io/storage-provisioner",
      "volume.kubernetes.io/selected-node",
      "volume.kubernetes.io/storage-resizer",
      "volume.beta.kubernetes.io/storage-class",
      "pv.kubernetes.io/migrated-to",
    ],
    finalizers: true,
    deletionTimestamp: true,
  },
  spec: {
    accessModes: true,
    resources: { requests: ["storage"] },
    volumeName: true,
    storageClassName: true,
    volumeMode: true,
    dataSource: true,
    dataSourceRef: true,
    selector: true,
    volumeAttributesClassName: true,
  },
  status: {
    phase: true,
    capacity: ["storage"],
    conditions: true,
    allocatedResources: ["storage"],
    allocatedResourceStatuses: ["storage"],
    currentVolumeAttributesClassName: true,
    modifyVolumeStatus: true,
  },
});

/** What attacher and provisioner together read of an attachment. */
export const attachmentFields = fields(VolumeAttachment, {
  metadata: { annotations: ["csi.alpha.kubernetes.io/node-id"], finalizers: true, deletionTimestamp: true },
  spec: true,
  status: { attached: true, attachError: true, detachError: true, attachmentMetadata: true },
});
