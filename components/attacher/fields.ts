import { type CachedOf, CSINode, fields, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { migratedToAnnotation, nodeIdAnnotation } from "./names.ts";
import { azureFileResourceGroup } from "./translation/azure-file.ts";
import { zoneLabels } from "./translation/gce-persistent-disk.ts";
import { portworxSecretName, portworxSecretNamespace } from "./translation/portworx-volume.ts";

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
    labels: [...zoneLabels],
    annotations: [migratedToAnnotation, azureFileResourceGroup, portworxSecretName, portworxSecretNamespace],
  },
  spec: {
    accessModes: true,
    mountOptions: true,
    volumeMode: true,
    csi: { driver: true, volumeHandle: true, readOnly: true, fsType: true, volumeAttributes: true, controllerPublishSecretRef: true },
    claimRef: { namespace: true },
    awsElasticBlockStore: true,
    azureDisk: true,
    azureFile: true,
    cinder: true,
    gcePersistentDisk: true,
    portworxVolume: true,
    vsphereVolume: true,
  },
});
export type Volume = CachedOf<typeof volumeFields>;

export const nodeFields = fields(CSINode, { spec: { drivers: [{ name: true, nodeID: true }] } });
export type NodeDrivers = CachedOf<typeof nodeFields>;
