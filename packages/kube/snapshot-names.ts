// The keys that snapshot-controller, csi-snapshotter and users put on snapshots and their contents. Finalizers and annotations of the group kinds
// are in `groupsnapshot.storage.kubernetes.io`, their API group is `groupsnapshot.storage.k8s.io`.

/** Annotations of VolumeSnapshotContents, and the marker of a default VolumeSnapshotClass. */
export const snapshotAnnotation = {
  /** The driver may be taking the snapshot. */
  beingCreated: "snapshot.storage.kubernetes.io/volumesnapshot-being-created",
  /** Its VolumeSnapshot is deleted. */
  beingDeleted: "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted",
  /** The secret for CreateSnapshot and DeleteSnapshot. */
  secretName: "snapshot.storage.kubernetes.io/deletion-secret-name",
  secretNamespace: "snapshot.storage.kubernetes.io/deletion-secret-namespace",
  /** The group snapshot that the driver took it with. It has the domain of the API group. */
  groupHandle: "groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle",
  defaultClass: "snapshot.storage.kubernetes.io/is-default-class",
} as const;

/** The same of VolumeGroupSnapshotContents and VolumeGroupSnapshotClasses. */
export const groupSnapshotAnnotation = {
  beingCreated: "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-created",
  beingDeleted: "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted",
  secretName: "groupsnapshot.storage.kubernetes.io/deletion-secret-name",
  secretNamespace: "groupsnapshot.storage.kubernetes.io/deletion-secret-namespace",
  defaultClass: "groupsnapshot.storage.kubernetes.io/is-default-class",
} as const;

export const snapshotFinalizer = {
  /** On a VolumeSnapshot: volumes may be created from it. */
  asSource: "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection",
  /** On a VolumeSnapshot: its content goes before it does. */
  bound: "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection",
  /** On a VolumeSnapshot of a group: it goes after the group. */
  inGroup: "snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection",
  /** On a claim: snapshots of it are being taken. */
  claim: "snapshot.storage.kubernetes.io/pvc-as-source-protection",
  /** On a VolumeSnapshotContent: the driver's snapshot goes before it does, if it is to be deleted. */
  content: "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection",
} as const;

export const groupSnapshotFinalizer = {
  /** On a VolumeGroupSnapshot. */
  bound: "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection",
  /** On a VolumeGroupSnapshotContent. */
  content: "groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection",
} as const;

/** On a content: the node whose sidecar serves it, where there is one on every node. */
export const managedByLabel = "snapshot.storage.kubernetes.io/managed-by";
