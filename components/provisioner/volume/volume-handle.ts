import { translateVolume } from "@csi-sidecars/translation";
import type { DriverInfo } from "../driver-capabilities.ts";
import type { Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import { annotation } from "../names.ts";

/** The handle by which the driver knows the volume. A copied annotation makes no volume ours: another driver's handle means nothing here, and "not found" would pass for deleted. */
export function handleOf(
  volume: Volume,
  { name }: Pick<DriverInfo, "name">,
): { readonly volumeId: string; readonly migrated: boolean } | { readonly error: string } {
  const translated = translateVolume(volume);
  if (translated?.error !== undefined) return { error: translated.error };
  const csi = translated?.value.csi ?? volume.spec?.csi;
  if (!csi) return { error: "invalid CSI PV" };
  if (csi.driver === name) return { volumeId: csi.volumeHandle, migrated: translated !== undefined };
  return { error: messages.volumeOfOtherDriver(csi.driver, annotation.provisionedBy, name) };
}

/** The name of the PersistentVolume with this handle, perhaps in the form of the in-tree plugin: such a volume is in use. */
export function volumeWithHandle(volumes: readonly Volume[], driver: string, volumeHandle: string): string | undefined {
  const found = volumes.find((volume) => {
    const csi = volume.spec?.csi ?? translateVolume(volume)?.value?.csi;
    return csi?.driver === driver && csi.volumeHandle === volumeHandle;
  });
  return found?.metadata.name;
}
