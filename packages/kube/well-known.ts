/** Annotations shared by the storage controllers of a cluster, its scheduler and the CSI sidecars. */
export const wellKnownAnnotation = {
  /** On a claim: who provisions it. Wins over the beta form whenever the key is there. */
  provisioner: "volume.kubernetes.io/storage-provisioner",
  betaProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  /** On a claim: the node that the scheduler has chosen for its first pod. */
  selectedNode: "volume.kubernetes.io/selected-node",
  /** On claims and volumes: wins over `spec.storageClassName`. */
  betaClass: "volume.beta.kubernetes.io/storage-class",
  defaultClass: "storageclass.kubernetes.io/is-default-class",
  betaDefaultClass: "storageclass.beta.kubernetes.io/is-default-class",
  /** On a volume: the provisioner that created it. */
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  /** On a volume of an in-tree plugin: the CSI driver that serves it now. */
  migratedTo: "pv.kubernetes.io/migrated-to",
  /** On a VolumeAttachment: the CSI node ID that was used to attach, for the detach after the node is gone. */
  nodeId: "csi.alpha.kubernetes.io/node-id",
  /** On a claim with a volume of an in-tree plugin: the CSI driver that expands it. */
  storageResizer: "volume.kubernetes.io/storage-resizer",
  /** On a claim: its last expansion was complete without the node. */
  nodeExpansionNotRequired: "volume.kubernetes.io/node-expansion-not-required",
  /** On a volume that the node has yet to expand: the size of its file system. */
  preResizeCapacity: "volume.alpha.kubernetes.io/pre-resize-capacity",
  /** On a volume: the secret for ControllerModifyVolume. */
  modifySecretName: "volume.kubernetes.io/controller-modify-secret-name",
  modifySecretNamespace: "volume.kubernetes.io/controller-modify-secret-namespace",
} as const;

/** Finalizers of the cluster itself. */
export const protectionFinalizer = {
  claim: "kubernetes.io/pvc-protection",
  volume: "kubernetes.io/pv-protection",
} as const;

/** Finalizers of the provisioner, ours and upstream's. */
export const provisionerFinalizer = {
  /** On volumes: the driver's volume goes before the object does. */
  volume: "external-provisioner.volume.kubernetes.io/finalizer",
  /** On claims that are being cloned. */
  cloneSource: "provisioner.storage.kubernetes.io/cloning-protection",
  /** On snapshots that are being restored. */
  snapshotSource: "provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection",
  /** On claims, only with `--in-progress-finalizer`: the driver may be creating a volume for it. */
  inProgress: "provisioner.storage.kubernetes.io/provisioning-in-progress",
} as const;

/** The prefix of the attachers' finalizers; the driver's name follows. */
export const attacherFinalizerPrefix = "external-attacher/";

/** Class parameters with this prefix are for the sidecars, not for the driver. */
export const parameterPrefix = "csi.storage.k8s.io/";

/** The provisioner of a class whose volumes are created by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";
