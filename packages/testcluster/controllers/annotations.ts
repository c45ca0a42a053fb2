import { protectionFinalizer, wellKnownAnnotation } from "@csi-sidecars/kube";

/** The annotations and finalizers of the storage controllers and CSI sidecars. */
export const annotation = {
  bindCompleted: "pv.kubernetes.io/bind-completed",
  boundByController: "pv.kubernetes.io/bound-by-controller",
  provisionedBy: wellKnownAnnotation.provisionedBy,
  selectedNode: wellKnownAnnotation.selectedNode,
  storageProvisioner: wellKnownAnnotation.provisioner,
  betaStorageProvisioner: wellKnownAnnotation.betaProvisioner,
  betaStorageClass: wellKnownAnnotation.betaClass,
  nodeExpansionNotRequired: "volume.kubernetes.io/node-expansion-not-required",
  preResizeCapacity: "volume.alpha.kubernetes.io/pre-resize-capacity",
  isDefaultClass: wellKnownAnnotation.defaultClass,
  managedAttach: "volumes.kubernetes.io/controller-managed-attach-detach",
  isDefaultClassBeta: wellKnownAnnotation.betaDefaultClass,
} as const;

export const finalizer = { claimProtection: protectionFinalizer.claim, volumeProtection: protectionFinalizer.volume } as const;

export { noProvisioner } from "@csi-sidecars/kube";
