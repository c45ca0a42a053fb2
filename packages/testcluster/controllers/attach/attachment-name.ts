import { createHash } from "node:crypto";

/** The name under which a volume's attachment to a node is known to the attach/detach controller and to kubelet. */
export function attachmentName(volumeHandle: string, driver: string, nodeName: string): string {
  return `csi-${createHash("sha256").update(`${volumeHandle}${driver}${nodeName}`).digest("hex")}`;
}

/** How nodes name a CSI volume in `status.volumesInUse` and `status.volumesAttached`. */
export function uniqueVolumeName(csi: { readonly driver: string; readonly volumeHandle: string }): string {
  return `kubernetes.io/csi/${csi.driver}^${csi.volumeHandle}`;
}
