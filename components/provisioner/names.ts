/** The annotations, finalizers and parameters that upstream's provisioner, its driver and the cluster agree on. */
export const annotation = {
  /** On a claim: who provisions it. Wins over the beta form whenever the key is there. */
  provisioner: "volume.kubernetes.io/storage-provisioner",
  betaProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  migratedTo: "pv.kubernetes.io/migrated-to",
  /** On claims and volumes: wins over `spec.storageClassName`. */
  betaClass: "volume.beta.kubernetes.io/storage-class",
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  deletionSecretName: "volume.kubernetes.io/provisioner-deletion-secret-name",
  deletionSecretNamespace: "volume.kubernetes.io/provisioner-deletion-secret-namespace",
  modifySecretName: "volume.kubernetes.io/controller-modify-secret-name",
  modifySecretNamespace: "volume.kubernetes.io/controller-modify-secret-namespace",
  /** On a VolumeSnapshotContent: its volumes may have another mode than the snapshot's source. */
  allowModeChange: "snapshot.storage.kubernetes.io/allow-volume-mode-change",
} as const;

export const finalizer = {
  /** On volumes: the driver's volume goes before the object does. */
  volume: "external-provisioner.volume.kubernetes.io/finalizer",
  /** On claims that are being cloned. */
  cloneSource: "provisioner.storage.kubernetes.io/cloning-protection",
  /** On snapshots that are being restored. */
  snapshotSource: "provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection",
  /** On claims, only with `--persist-in-progress`: the driver may have begun to make a volume for it. */
  inProgress: "provisioner.storage.kubernetes.io/provisioning-in-progress",
} as const;

/** What a class parameter with this prefix says is for the sidecars, not for the driver. */
export const parameterPrefix = "csi.storage.k8s.io/";

/** The volume attribute that tells which provisioner made a volume. */
export const identityAttribute = "storage.kubernetes.io/csiProvisionerIdentity";
