import type { Result } from "@csi-sidecars/base";
import type { SecretRef } from "@csi-sidecars/controller";
import { chooseAccessMode, type VolumeCapability } from "@csi-sidecars/csi";
import { type CsiVolume, translateVolume } from "@csi-sidecars/translation";
import type { Attachment } from "./fields.ts";
import { persistentVolumeName, type ResolvedAttachment } from "./resolved-attachment.ts";

/** The volume of an attachment in CSI terms, whether a PersistentVolume or the attachment itself describes it. */
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

export function findVolumeSource({ attachment, volume }: Pick<ResolvedAttachment, "attachment" | "volume">): Result<VolumeSource> {
  const problem = sourceProblem(attachment);
  if (problem !== undefined) return { error: problem };
  const inline = attachment.spec.source.inlineVolumeSpec;
  if (inline) {
    if (!inline.csi) return { error: "inline volume spec contains nil CSI source" };
    return { value: { ...usage(inline), csi: inline.csi, migrated: false, translated: true } };
  }
  if (!volume) return { error: `persistentvolume "${persistentVolumeName(attachment)}" not found` };
  const translation = translateVolume(volume);
  if (translation?.error !== undefined) return { error: `failed to translate in tree pv to CSI: ${translation.error}` };
  if (translation) {
    const { csi, accessModes } = translation.value;
    const asDeclared = usage(volume.spec ?? {});
    return { value: { ...asDeclared, accessModes: accessModes ?? asDeclared.accessModes, csi, migrated: true, translated: true } };
  }
  if (!volume.spec?.csi) return { error: "pv spec contained non-csi source that was not migrated" };
  return { value: { ...usage(volume.spec), csi: volume.spec.csi, migrated: false, translated: false } };
}

/** What keeps the attachment from naming exactly one volume. */
function sourceProblem({ spec: { source } }: Attachment): string | undefined {
  if (source.persistentVolumeName && source.inlineVolumeSpec) {
    return "both InlineCSIVolumeSource and PersistentVolumeName specified in VA source";
  }
  if (source.persistentVolumeName || source.inlineVolumeSpec) return undefined;
  return "neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source";
}

function usage(spec: {
  readonly accessModes?: readonly string[];
  readonly mountOptions?: readonly string[];
  readonly volumeMode?: string;
}): Pick<VolumeSource, "accessModes" | "mountOptions" | "block"> {
  const { accessModes = [], mountOptions = [], volumeMode } = spec;
  return { accessModes, mountOptions, block: volumeMode === "Block" };
}

/** How the volume will be used, as the driver is told. `defaultFsType` is for volumes that name no file system. */
export function volumeCapability(
  { accessModes, mountOptions, block, csi }: Pick<VolumeSource, "accessModes" | "mountOptions" | "block" | "csi">,
  options: { readonly defaultFsType: string; readonly singleNodeMultiWriter: boolean },
): Result<VolumeCapability> {
  const { mode, error } = chooseAccessMode(accessModes, options);
  if (error !== undefined) return { error };
  const accessMode = { mode };
  if (block) return { value: { accessMode, accessType: { $case: "block", block: {} } } };
  const mount = { fsType: csi.fsType || options.defaultFsType, mountFlags: mountOptions, volumeMountGroup: "" };
  return { value: { accessMode, accessType: { $case: "mount", mount } } };
}

/** The secret that publishing and unpublishing the volume need, if it names one. */
export function publishSecretRef({ controllerPublishSecretRef: ref }: CsiVolume): SecretRef | undefined {
  return ref && { name: ref.name ?? "", namespace: ref.namespace ?? "" };
}
