import type { Volume } from "../fields.ts";
import type { Result } from "../result.ts";
import { awsElasticBlockStore } from "./aws-elastic-block-store.ts";
import { azureDisk } from "./azure-disk.ts";
import { azureFile } from "./azure-file.ts";
import { cinder } from "./cinder.ts";
import { gcePersistentDisk } from "./gce-persistent-disk.ts";
import type { CsiVolume, InTreePlugin, Translated } from "./in-tree-plugin.ts";
import { portworxVolume } from "./portworx-volume.ts";
import { vsphereVolume } from "./vsphere-volume.ts";

const plugins: readonly InTreePlugin[] = [
  awsElasticBlockStore,
  azureDisk,
  azureFile,
  cinder,
  gcePersistentDisk,
  portworxVolume,
  vsphereVolume,
];

/** Whether the volume names an in-tree plugin, whoever serves it. */
export function isInTree({ spec }: Volume): boolean {
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

/** An in-tree volume in CSI terms; `undefined` for any other volume. */
export function translateVolume(volume: Volume): Result<Translated & { readonly csi: CsiVolume }> | undefined {
  for (const plugin of plugins) {
    const translated = plugin.translate(volume);
    if (!translated) continue;
    if (translated.error !== undefined) return translated;
    return { value: { ...translated.value, csi: { driver: plugin.driver, ...translated.value.csi } } };
  }
  return undefined;
}

/** The handle under which the driver lists a translated volume. Drivers that replaced nothing list what they are asked for. */
export function repairHandle(driver: string, handle: string, nodeId: string): Result<string> {
  const plugin = plugins.find((each) => each.driver === driver);
  return plugin?.repairHandle?.(handle, nodeId) ?? { value: handle };
}
