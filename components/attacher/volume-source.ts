import type { Result } from "@csi-sidecars/base";
import type { SecretRef } from "@csi-sidecars/controller";
import { type CsiVolume, type VolumeSource as Source, volumeModes, volumeSource } from "@csi-sidecars/translation";
import type { Attachment } from "./fields.ts";
import { persistentVolumeName, type ResolvedAttachment } from "./resolved-attachment.ts";

/** The volume of an attachment in CSI terms, whether a PersistentVolume or the attachment itself describes it. */
export interface VolumeSource extends Source {
  /** Whether the driver may list it under another handle: it was translated, here or by kube-controller-manager. */
  readonly translated: boolean;
}

export function findVolumeSource({ attachment, volume }: Pick<ResolvedAttachment, "attachment" | "volume">): Result<VolumeSource> {
  const problem = sourceProblem(attachment);
  if (problem !== undefined) return { error: problem };
  const inline = attachment.spec.source.inlineVolumeSpec;
  if (inline) {
    if (!inline.csi) return { error: "inline volume spec contains nil CSI source" };
    return { value: { ...volumeModes(inline), csi: inline.csi, migrated: false, translated: true } };
  }
  if (!volume) return { error: `persistentvolume "${persistentVolumeName(attachment)}" not found` };
  const source = volumeSource(volume);
  if (!source) return { error: "pv spec contained non-csi source that was not migrated" };
  if (source.error !== undefined) return { error: `failed to translate in tree pv to CSI: ${source.error}` };
  return { value: { ...source.value, translated: source.value.migrated } };
}

/** What keeps the attachment from naming exactly one volume. */
function sourceProblem({ spec: { source } }: Attachment): string | undefined {
  if (source.persistentVolumeName && source.inlineVolumeSpec) {
    return "both InlineCSIVolumeSource and PersistentVolumeName specified in VA source";
  }
  if (source.persistentVolumeName || source.inlineVolumeSpec) return undefined;
  return "neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source";
}

/** The secret that publishing and unpublishing the volume need, if it names one. */
export function publishSecretRef({ controllerPublishSecretRef: ref }: CsiVolume): SecretRef | undefined {
  return ref && { name: ref.name ?? "", namespace: ref.namespace ?? "" };
}
