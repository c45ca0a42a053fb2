import { azureFileResourceGroup } from "./azure-file.ts";
import { portworxSecretName, portworxSecretNamespace } from "./portworx-volume.ts";
import { oldZoneLabel, zoneLabel } from "./zone-labels.ts";

/** What translating reads of a PersistentVolume: whoever caches volumes to translate them keeps these. */
export const translatedFields = {
  labels: [oldZoneLabel, zoneLabel],
  annotations: [azureFileResourceGroup, portworxSecretName, portworxSecretNamespace],
  spec: {
    awsElasticBlockStore: true,
    azureDisk: true,
    azureFile: true,
    cinder: true,
    gcePersistentDisk: true,
    portworxVolume: true,
    vsphereVolume: true,
  },
} as const;
