import type { Result } from "@csi-sidecars/base";
import type { CsiVolume } from "@csi-sidecars/translation";
import { translateVolume } from "@csi-sidecars/translation";
import type { Attachment, Volume } from "./fields.ts";

/** The volume of an attachment in CSI terms, wherever its description was found. */
export interface VolumeSource {
  readonly csi: CsiVolume;
  readonly accessModes: readonly string[];
  readonly mountOptions: readonly string[];
  readonly block: boolean;
  /** A volume of the in-tree plugin that the driver replaced. */
  readonly migrated: boolean;
  /** Whether the driver may list it under another handle: it was translated, here or by kube-controller-manager. */
  readonly translated: boolean;
}

/** The name of the attachment's volume; `undefined` for one whose volume is described in the attachment itself. */
export function volumeNameOf(attachment: Attachment): string | undefined {
  return attachment.spec.source.persistentVolumeName;
}

/** What keeps the attachment from naming exactly one volume. */
export function sourceProblem({ spec: { source } }: Attachment): string | undefined {
  if (source.persistentVolumeName && source.inlineVolumeSpec) {
    return "both InlineCSIVolumeSource and PersistentVolumeName specified in VA source";
  }
  if (source.persistentVolumeName || source.inlineVolumeSpec) return undefined;
  return "neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source";
}

/** `volume` is the PersistentVolume that the attachment names, if there is one. */
export function volumeSourceOf(attachment: Attachment, volume: Volume | undefined): Result<VolumeSource> {
  const problem = sourceProblem(attachment);
  if (problem !== undefined) return { error: problem };
  const inline = attachment.spec.source.inlineVolumeSpec;
  if (inline) {
    if (!inline.csi) return { error: "inline volume spec contains nil CSI source" };
    return { value: { ...usageOf(inline), csi: inline.csi, migrated: false, translated: true } };
  }
  if (!volume) return { error: `persistentvolume "${volumeNameOf(attachment)}" not found` };
  const translation = translateVolume(volume);
  if (translation?.error !== undefined) return { error: `failed to translate in tree pv to CSI: ${translation.error}` };
  if (translation) {
    const { csi, accessModes } = translation.value;
    const usage = usageOf(volume.spec ?? {});
    return { value: { ...usage, accessModes: accessModes ?? usage.accessModes, csi, migrated: true, translated: true } };
  }
  if (!volume.spec?.csi) return { error: "pv spec contained non-csi source that was not migrated" };
  return { value: { ...usageOf(volume.spec), csi: volume.spec.csi, migrated: false, translated: false } };
}

interface Usage {
  readonly accessModes?: readonly string[];
  readonly mountOptions?: readonly string[];
  readonly volumeMode?: string;
}

function usageOf({ accessModes = [], mountOptions = [], volumeMode }: Usage) {
  return { accessModes, mountOptions, block: volumeMode === "Block" };
}
