import { wellKnownAnnotation } from "@csi-sidecars/kube";

export { parameterPrefix, provisionerFinalizer as finalizer } from "@csi-sidecars/kube";

/** The annotations that upstream's provisioner, its driver and the cluster agree on. */
export const annotation = {
  ...wellKnownAnnotation,
  deletionSecretName: "volume.kubernetes.io/provisioner-deletion-secret-name",
  deletionSecretNamespace: "volume.kubernetes.io/provisioner-deletion-secret-namespace",
  /** On a VolumeSnapshotContent: its volumes may have another mode than the snapshot's source. */
  allowModeChange: "snapshot.storage.kubernetes.io/allow-volume-mode-change",
} as const;

/** The volume attribute that names the provisioner that created a volume. */
export const identityAttribute = "storage.kubernetes.io/csiProvisionerIdentity";
