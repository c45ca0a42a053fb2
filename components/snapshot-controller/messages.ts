import { goQuote, message } from "@csi-sidecars/base";

/** What the controller writes about single snapshots into events and status, in upstream's words. `cause` is the text of another error. */
export const messages = {
  classUnknown: message((cause: string) => `Failed to get snapshot class with error ${cause}`),
  defaultClassUnknown: message((cause: string) => `Failed to set default snapshot class with error ${cause}`),
  classMissing: message((className: string) => `volumesnapshotclass.snapshot.storage.k8s.io "${className}" not found`),
  notOneSource: message(() => "Exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified"),
  notOneHandle: message(() => "Exactly one of VolumeHandle and SnapshotHandle should be specified"),
  finalizersFailed: message((cause: string) => `Failed to check and update snapshot: ${cause}`),
  claimFinalizerFailed: message(() => "Error check and remove PVC Finalizer for VolumeSnapshot"),
  contentMissing: message(() => "VolumeSnapshotContent is missing"),
  contentNotPreProvisioned: message(() => "VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one"),
  contentNotDynamic: message(
    (content: string) => `VolumeSnapshotContent ${content} is pre-provisioned while expecting a dynamically provisioned one`,
  ),
  contentOfOtherKind: message(
    (snapshot: string, wanted: string, content: string, found: string) =>
      `snapshot ${snapshot} expects a ${wanted} VolumeSnapshotContent ${content} but gets a ${found} one`,
  ),
  contentOfOther: message((content: string) => `VolumeSnapshotContent [${content}] is bound to a different snapshot`),
  misbound: message(() => "VolumeSnapshotContent is not bound to the VolumeSnapshot correctly"),
  bindFailed: message((cause: string) => `Snapshot failed to bind VolumeSnapshotContent, ${cause}`),
  foreignClass: message(
    (content: string, driver: string, className: string, classDriver: string) =>
      `VolumeSnapshotContent ${content} is of CSI driver ${driver}, VolumeSnapshotClass ${className} of ${classDriver}`,
  ),
  statusUpdateFailed: message((cause: string) => `Snapshot status update failed, ${cause}`),
  groupUnknown: message(
    (snapshot: string) =>
      `updateSnapshotStatus: cannot find the group snapshot for VolumeSnapshot [${snapshot}], will not update snapshot status`,
  ),
  contentCreationFailed: message((cause: string) => `Failed to create snapshot content with error ${cause}`),
  inputUnavailable: message(
    (snapshot: string, cause: string) => `failed to get input parameters to create snapshot ${snapshot}: ${goQuote(cause)}`,
  ),
  noClass: message((snapshot: string) => `failed to take snapshot ${snapshot} without a snapshot class`),
  notCsi: message((volume: string) => `cannot find CSI PersistentVolumeSource for volume ${volume}`),
  noDefaultForOthers: message((snapshot: string) => `snapshotting non-CSI volumes is not supported, snapshot:${snapshot}`),
  driverMismatch: message(
    (driver: string, classDriver: string, snapshot: string, volume: string) =>
      `Volume CSI driver (${driver}) mismatch with VolumeSnapshotClass (${classDriver}) ${snapshot}: ${volume}`,
  ),
  claimMissing: message(
    (snapshot: string) => `snapshot controller failed to update ${snapshot} on API server: cannot get claim from snapshot`,
  ),
  claimDeleted: message(
    (claim: string) =>
      `snapshot controller failed to update ${claim} on API server: cannot add finalizer on claim because it is being deleted`,
  ),
  updateFailed: message((name: string, cause: string) => `snapshot controller failed to update ${name} on API server: ${cause}`),
  postFailed: message(
    (snapshot: string, cause: string) => `Error creating volume snapshot content object for snapshot ${snapshot}: ${cause}.`,
  ),
  noNode: message((volume: string) => `No node matches the node affinity of volume ${volume}: no csi-snapshotter takes the snapshot`),
  creating: message((snapshot: string) => `Waiting for a snapshot ${snapshot} to be created by the CSI driver.`),
  created: message((snapshot: string) => `Snapshot ${snapshot} was successfully created by the CSI driver.`),
  ready: message((snapshot: string) => `Snapshot ${snapshot} is ready to use.`),
  beingRestored: message(() => "Snapshot is being used to restore a PVC"),
  memberOfGroup: message(
    (snapshot: string, group: string) =>
      `deletion of the individual volume snapshot ${snapshot} is not allowed as it belongs to group snapshot ${group}. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group.`,
  ),
  groupsOff: message(
    (snapshot: string, group: string) =>
      `volume snapshot ${snapshot} cannot be deleted: whether its group snapshot ${group} exists is not known, as group snapshots are disabled`,
  ),
  snapshotMissing: message(
    (snapshot: string, uid: string) => `VolumeSnapshot ${snapshot} with UID ${uid} does not exist: its content is left alone`,
  ),
  contentNotDeleted: message(() => "Failed to delete snapshot content API object"),
} as const;
