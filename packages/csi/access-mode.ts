import { VolumeCapability_AccessMode_Mode as AccessMode } from "./gen/csi.ts";

export { AccessMode };

/** The one access mode that a driver is asked for, or why there is none. */
export type AccessModeChoice =
  | { readonly mode: AccessMode; readonly error?: undefined }
  | { readonly mode?: undefined; readonly error: string };

/**
 * The CSI access mode for one of Kubernetes; `undefined` for an unknown one. A driver with the capability SINGLE_NODE_MULTI_WRITER tells
 * writers on one node apart; the others know only SINGLE_NODE_WRITER.
 */
export function csiAccessMode(mode: string, driver: { readonly singleNodeMultiWriter: boolean }): AccessMode | undefined {
  switch (mode) {
    case "ReadWriteOnce":
      return driver.singleNodeMultiWriter ? AccessMode.SINGLE_NODE_MULTI_WRITER : AccessMode.SINGLE_NODE_WRITER;
    case "ReadWriteOncePod":
      return driver.singleNodeMultiWriter ? AccessMode.SINGLE_NODE_SINGLE_WRITER : AccessMode.SINGLE_NODE_WRITER;
    case "ReadOnlyMany":
      return AccessMode.MULTI_NODE_READER_ONLY;
    case "ReadWriteMany":
      return AccessMode.MULTI_NODE_MULTI_WRITER;
    default:
      return undefined;
  }
}

/** The access modes of a volume in order of precedence. */
const precedence = ["ReadWriteOncePod", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"];

/** Chooses the one CSI access mode for all the access modes of a volume. */
export function chooseAccessMode(modes: readonly string[], driver: { readonly singleNodeMultiWriter: boolean }): AccessModeChoice {
  const wanted = new Set(modes);
  const first = precedence.find((mode) => wanted.has(mode));
  if (first === "ReadWriteOncePod" && wanted.size > 1) {
    return { error: "Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume" };
  }
  if (first === "ReadOnlyMany" && wanted.has("ReadWriteOnce")) {
    return { error: "CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume" };
  }
  const mode = first === undefined ? undefined : csiAccessMode(first, driver);
  return mode === undefined ? { error: `unsupported AccessMode combination: [${modes.join(" ")}]` } : { mode };
}
