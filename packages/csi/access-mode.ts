import { VolumeCapability_AccessMode_Mode as AccessMode } from "./gen/csi.ts";

export { AccessMode };

/** The one access mode that a driver is asked for, or why there is none. */
export type AccessModeChoice =
  | { readonly mode: AccessMode; readonly error?: undefined }
  | { readonly mode?: undefined; readonly error: string };

/**
 * Chooses the CSI access mode for the access modes of a volume, which are given by their names in Kubernetes. A driver with the
 * capability SINGLE_NODE_MULTI_WRITER tells writers on one node apart; the others know only SINGLE_NODE_WRITER.
 */
export function chooseAccessMode(modes: readonly string[], driver: { readonly singleNodeMultiWriter: boolean }): AccessModeChoice {
  const wanted = new Set(modes);
  if (wanted.has("ReadWriteOncePod")) {
    if (wanted.size > 1) {
      return { error: "Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume" };
    }
    return { mode: driver.singleNodeMultiWriter ? AccessMode.SINGLE_NODE_SINGLE_WRITER : AccessMode.SINGLE_NODE_WRITER };
  }
  if (wanted.has("ReadWriteMany")) return { mode: AccessMode.MULTI_NODE_MULTI_WRITER };
  if (wanted.has("ReadOnlyMany") && wanted.has("ReadWriteOnce")) {
    return { error: "CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume" };
  }
  if (wanted.has("ReadOnlyMany")) return { mode: AccessMode.MULTI_NODE_READER_ONLY };
  if (wanted.has("ReadWriteOnce")) {
    return { mode: driver.singleNodeMultiWriter ? AccessMode.SINGLE_NODE_MULTI_WRITER : AccessMode.SINGLE_NODE_WRITER };
  }
  return { error: `unsupported AccessMode combination: [${modes.join(" ")}]` };
}
