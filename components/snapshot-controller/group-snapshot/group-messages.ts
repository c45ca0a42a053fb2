import { goQuote, message } from "@csi-sidecars/base";

/** What the controller writes about group snapshots into events and status, in upstream's words. `cause` is the text of another error. */
export const groupMessages = {
  classUnknown: message((cause: string) => `failed to get group snapshot class with error ${cause}`),
  defaultClassUnknown: message((cause: string) => `Failed to set default group snapshot class with error ${cause}`),
  classMissing: message((className: string) => `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${className}" not found`),
  notOneSource: message(() => "Exactly one of Selector and VolumeGroupSnapshotContentName should be specified"),
  notOneHandle: message(() => "Exactly one of GroupSnapshotHandles and VolumeHandles should be specified"),
  finalizersFailed: message((cause: string) => `Failed to check and update group snapshot: ${cause}`),
  contentMissing: message(() => "VolumeGroupSnapshotContent is missing"),
  misbound: message(() => "VolumeGroupSnapshotContent is not bound to the VolumeGroupSnapshot correctly"),
  contentNotPreProvisioned: message(() => "VolumeGroupSnapshotContent is dynamically provisioned while expecting a pre-provisioned one"),
  contentNotDynamic: message(
    (content: string) => `VolumeGroupSnapshotContent ${content} is pre-provisioned while expecting a dynamically provisioned one`,
  ),
  contentOfOther: message((content: string) => `VolumeGroupSnapshotContent [${content}] is bound to a different group snapshot`),
  bindFailed: message((cause: string) => `GroupSnapshot failed to bind VolumeGroupSnapshotContent, ${cause}`),
  foreignClass: message(
    (content: string, driver: string, className: string, classDriver: string) =>
      `VolumeGroupSnapshotContent ${content} is of CSI driver ${driver}, VolumeGroupSnapshotClass ${className} of ${classDriver}`,
  ),
  bindMismatch: message(
    (group: string, content: string) =>
      `Could not bind group snapshot ${group} and group snapshot content ${content}, the VolumeGroupSnapshotRef does not match`,
  ),
  statusUpdateFailed: message((cause: string) => `GroupSnapshot status update failed, ${cause}`),
  contentCreationFailed: message((cause: string) => `failed to create group snapshot content with error ${cause}`),
  inputUnavailable: message(
    (group: string, cause: string) => `failed to get input parameters to create group snapshot ${group}: ${goQuote(cause)}`,
  ),
  claimsUnavailable: message((selector: string, cause: string) => `failed to list PVCs with label selector ${selector}: ${goQuote(cause)}`),
  noClaims: message((selector: string) => `label selector ${selector} for group snapshot not applied to any PVC`),
  noDefaultForOthers: message((group: string) => `snapshotting non-CSI volumes is not supported, group snapshot:${group}`),
  notCsiEvent: message((volume: string) => `Cannot snapshot a non-CSI volume: ${volume}`),
  notCsi: message((group: string, volume: string) => `cannot snapshot a non-CSI volume for group snapshot ${group}: ${volume}`),
  driverMismatch: message(
    (driver: string, classDriver: string, group: string, volume: string) =>
      `Volume CSI driver (${driver}) mismatch with VolumeGroupSnapshotClass (${classDriver}) ${group}: ${volume}`,
  ),
  updateFailed: message((name: string, cause: string) => `snapshot controller failed to update ${name} on API server: ${cause}`),
  postFailed: message(
    (group: string, cause: string) => `Error creating volume group snapshot content object for group snapshot ${group}: ${cause}.`,
  ),
  noNode: message(
    (volumes: string) =>
      `No node matches the node affinity of all volumes of the group (${volumes}): no csi-snapshotter takes the snapshot`,
  ),
  creating: message((group: string) => `Waiting for a group snapshot ${group} to be created by the CSI driver.`),
  created: message((group: string) => `GroupSnapshot ${group} was successfully created by the CSI driver.`),
  ready: message((group: string) => `GroupSnapshot ${group} is ready to use.`),
  memberBeingRestored: message(
    (snapshot: string, group: string) => `Snapshot ${snapshot} belonging to VolumeGroupSnapshot ${group} is being used to restore a PVC`,
  ),
  groupMissing: message(
    (group: string, uid: string) => `VolumeGroupSnapshot ${group} with UID ${uid} does not exist: its content is left alone`,
  ),
  contentNotDeleted: message(() => "Failed to delete group snapshot content API object"),
  memberNotDeleted: message(
    (snapshot: string, group: string, cause: string) =>
      `failed to delete snapshot API object ${snapshot} part of group snapshot ${group}: ${cause}`,
  ),
} as const;
