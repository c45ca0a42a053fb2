/** Annotations and finalizers by which the storage controllers of a cluster talk with CSI sidecars and with each other. */
export const annotation = {
  bindCompleted: "pv.kubernetes.io/bind-completed",
  boundByController: "pv.kubernetes.io/bound-by-controller",
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  selectedNode: "volume.kubernetes.io/selected-node",
  storageProvisioner: "volume.kubernetes.io/storage-provisioner",
  betaStorageProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  betaStorageClass: "volume.beta.kubernetes.io/storage-class",
  preResizeCapacity: "volume.alpha.kubernetes.io/pre-resize-capacity",
  isDefaultClass: "storageclass.kubernetes.io/is-default-class",
  managedAttach: "volumes.kubernetes.io/controller-managed-attach-detach",
  isDefaultClassBeta: "storageclass.beta.kubernetes.io/is-default-class",
} as const;

export const finalizer = {
  claimProtection: "kubernetes.io/pvc-protection",
  volumeProtection: "kubernetes.io/pv-protection",
} as const;

/** The provisioner of classes whose volumes an administrator makes by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";
