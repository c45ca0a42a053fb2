import { awsElasticBlockStore } from "./aws-elastic-block-store.ts";
import { azureDisk } from "./azure-disk.ts";
import { azureFile } from "./azure-file.ts";
import { cinder } from "./cinder.ts";
import { gcePersistentDisk } from "./gce-persistent-disk.ts";
import type { InTreePlugin } from "./in-tree-plugin.ts";
import { portworxVolume } from "./portworx-volume.ts";
import { vsphereVolume } from "./vsphere-volume.ts";

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
