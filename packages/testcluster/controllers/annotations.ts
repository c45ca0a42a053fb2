import { protectionFinalizer, wellKnownAnnotation } from "@csi-sidecars/kube";

/** Annotations and finalizers by which the storage controllers of a cluster talk with CSI sidecars and with each other. */
export const annotation = {
  bindCompleted: "pv.kubernetes.io/bind-completed",
  boundByController: "pv.kubernetes.io/bound-by-controller",
  provisionedBy: wellKnownAnnotation.provisionedBy,
  selectedNode: wellKnownAnnotation.selectedNode,
  storageProvisioner: wellKnownAnnotation.provisioner,
  betaStorageProvisioner: wellKnownAnnotation.betaProvisioner,
  betaStorageClass: wellKnownAnnotation.betaClass,
  preResizeCapacity: "volume.alpha.kubernetes.io/pre-resize-capacity",
  isDefaultClass: wellKnownAnnotation.defaultClass,
  managedAttach: "volumes.kubernetes.io/controller-managed-attach-detach",
  isDefaultClassBeta: wellKnownAnnotation.betaDefaultClass,
} as const;

export const finalizer = { claimProtection: protectionFinalizer.claim, volumeProtection: protectionFinalizer.volume } as const;

export { noProvisioner } from "@csi-sidecars/kube";
