import { awsElasticBlockStore } from "./plugins/aws-elastic-block-store.ts";
import { azureDisk } from "./plugins/azure-disk.ts";
import { azureFile, azureFileResourceGroup } from "./plugins/azure-file.ts";
import { cinder } from "./plugins/cinder.ts";
import { gcePersistentDisk } from "./plugins/gce-persistent-disk.ts";
import { type InTreePlugin, type InTreeVolume, oldZoneLabel, zoneLabel } from "./plugins/in-tree-plugin.ts";
import { portworxSecretName, portworxSecretNamespace, portworxVolume } from "./plugins/portworx-volume.ts";
import { vsphereVolume } from "./plugins/vsphere-volume.ts";

/** Every in-tree plugin that a CSI driver replaced. */
export const plugins: readonly InTreePlugin[] = [
  awsElasticBlockStore,
  azureDisk,
  azureFile,
  cinder,
  gcePersistentDisk,
  portworxVolume,
  vsphereVolume,
];

export function pluginOf(driver: string): InTreePlugin | undefined {
  return plugins.find((plugin) => plugin.driver === driver);
}

/** The name of the plugin that the driver replaced, as classes and annotations have it. */
export function inTreeNameOf(driver: string): string | undefined {
  return pluginOf(driver)?.name;
}

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

/** Whether the volume names an in-tree plugin, whoever serves it. */
export function isInTree({ spec }: InTreeVolume): boolean {
  return Boolean(
    spec?.awsElasticBlockStore ||
      spec?.azureDisk ||
      spec?.azureFile ||
      spec?.cinder ||
      spec?.gcePersistentDisk ||
      spec?.portworxVolume ||
      spec?.vsphereVolume,
  );
}
