import type { Result } from "@csi-sidecars/base";
import type { CsiVolume, InTreeVolume } from "./plugins/in-tree-plugin.ts";
import { translateVolume } from "./translate-volume.ts";

/** A volume in CSI terms, whoever described it. */
export interface VolumeSource extends VolumeModes {
  readonly csi: CsiVolume;
  /** A volume of the in-tree plugin that the driver replaced. */
  readonly migrated: boolean;
}

interface VolumeModes {
  readonly accessModes: readonly string[];
  readonly mountOptions: readonly string[];
  readonly block: boolean;
}

interface VolumeSpec {
  readonly accessModes?: readonly string[];
  readonly mountOptions?: readonly string[];
  readonly volumeMode?: string;
  readonly csi?: CsiVolume;
}

/** What a PersistentVolume is to its CSI driver; `undefined` for one that no CSI driver serves. The error is about an in-tree volume. */
export function volumeSource(volume: InTreeVolume & { readonly spec?: VolumeSpec }): Result<VolumeSource> | undefined {
  const { spec = {} } = volume;
  if (spec.csi) return { value: { ...volumeModes(spec), csi: spec.csi, migrated: false } };
  const translation = translateVolume(volume);
  if (!translation || translation.error !== undefined) return translation;
  const { csi, accessModes } = translation.value;
  return { value: { ...volumeModes({ ...spec, ...(accessModes && { accessModes }) }), csi, migrated: true } };
}

/** The modes of a volume that is described in the fields of a PersistentVolume. */
export function volumeModes({ accessModes = [], mountOptions = [], volumeMode }: VolumeSpec): VolumeModes {
  return { accessModes, mountOptions, block: volumeMode === "Block" };
}
