import { attacherFinalizerPrefix, sanitizeName, wellKnownAnnotation } from "@csi-sidecars/kube";

export const nodeIdAnnotation = wellKnownAnnotation.nodeId;
export const migratedToAnnotation = wellKnownAnnotation.migratedTo;

/** Keeps a VolumeAttachment until it is detached, and a PersistentVolume until no attachment needs it. */
export function finalizerOf(driver: string): string {
  return `${attacherFinalizerPrefix}${sanitizeName(driver)}`;
}
