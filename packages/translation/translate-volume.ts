import type { Result } from "@csi-sidecars/base";
import type { CsiVolume, InTreeVolume, Translated } from "./in-tree-plugin.ts";
import { pluginOf, plugins } from "./plugins.ts";

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

/** An in-tree volume in CSI terms; `undefined` for any other volume. */
export function translateVolume(volume: InTreeVolume): Result<Translated & { readonly csi: CsiVolume }> | undefined {
  for (const plugin of plugins) {
    const translated = plugin.toCsi(volume);
    if (!translated) continue;
    if (translated.error !== undefined) return translated;
    return { value: { ...translated.value, csi: { driver: plugin.driver, ...translated.value.csi } } };
  }
  return undefined;
}

/** The handle under which the driver lists a translated volume. Drivers that replaced nothing list what they are asked for. */
export function repairHandle(driver: string, handle: string, nodeId: string): Result<string> {
  return pluginOf(driver)?.repairHandle?.(handle, nodeId) ?? { value: handle };
}
