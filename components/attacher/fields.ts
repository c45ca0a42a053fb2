import { wellKnownAnnotation as annotation, type CachedOf, CSINode, fields, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { translatedFields } from "@csi-sidecars/translation";

/** What the attacher reads of attachments, and therefore all that is cached. Without the time of errors: it changes with every retry. */
export const attachmentFields = fields(VolumeAttachment, {
  metadata: { finalizers: true, annotations: [annotation.nodeId], deletionTimestamp: true },
  spec: true,
  status: {
    attached: true,
    attachmentMetadata: true,
    attachError: { message: true, errorCode: true },
    detachError: { message: true },
  },
});
export type Attachment = CachedOf<typeof attachmentFields>;

export const volumeFields = fields(PersistentVolume, {
  metadata: {
    finalizers: true,
    deletionTimestamp: true,
    labels: translatedFields.labels,
    annotations: [annotation.migratedTo, ...translatedFields.annotations],
  },
  spec: {
    accessModes: true,
    mountOptions: true,
    volumeMode: true,
    csi: { driver: true, volumeHandle: true, readOnly: true, fsType: true, volumeAttributes: true, controllerPublishSecretRef: true },
    claimRef: { namespace: true },
    ...translatedFields.spec,
  },
});
export type Volume = CachedOf<typeof volumeFields>;

export const nodeFields = fields(CSINode, { spec: { drivers: [{ name: true, nodeID: true }] } });
export type CsiNode = CachedOf<typeof nodeFields>;
