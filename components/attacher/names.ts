import { sanitizeName } from "@csi-sidecars/kube";

/** On a VolumeAttachment: the CSI node id that was used to attach, for the detach after the node is gone. */
export const nodeIdAnnotation = "csi.alpha.kubernetes.io/node-id";

/** On a volume of an in-tree plugin: the CSI driver that serves it now. */
export const migratedToAnnotation = "pv.kubernetes.io/migrated-to";

/** Keeps a VolumeAttachment until it is detached, and a PersistentVolume until no attachment needs it. */
export function finalizerOf(driver: string): string {
  return `external-attacher/${sanitizeName(driver)}`;
}
