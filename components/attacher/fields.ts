import { type CachedOf, CSINode, fields, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { translatedFields } from "@csi-sidecars/translation";
import { migratedToAnnotation, nodeIdAnnotation } from "./names.ts";

/** What is read of attachments, and therefore all that is cached. The error's time is left out: it changes with every retry. */
export const attachmentFields = fields(VolumeAttachment, {
  metadata: { finalizers: true, annotations: [nodeIdAnnotation], deletionTimestamp: true },
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
    annotations: [migratedToAnnotation, ...translatedFields.annotations],
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
export type NodeDrivers = CachedOf<typeof nodeFields>;
