import { goQuote, message } from "@csi-sidecars/base";

/** What the snapshotter writes into events and status of group snapshots, in upstream's words. `cause` is the text of another error. */
export const groupMessages = {
  createFailed: message((cause: string) => `Failed to create group snapshot: ${cause}`),
  checkFailed: message((cause: string) => `Failed to check and update group snapshot content: ${cause}`),
  deleteFailed: message(() => "Failed to delete group snapshot"),
  classMissing: message((className: string) => `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${className}" not found`),
  noClass: message((content: string) => `failed to take group snapshot ${content} without a group snapshot class`),
  inputUnavailable: message(
    (content: string, cause: string) =>
      `failed to get input parameters to create group snapshot for group snapshot content ${content}: ${goQuote(cause)}`,
  ),
  notBound: message((content: string) => `cannot create group snapshot. Group snapshot content ${content} not bound to a group snapshot`),
  noVolumes: message(
    (content: string) => `cannot create group snapshot. PVCs to be snapshotted not found in group snapshot content ${content}`,
  ),
  markFailed: message(
    (content: string, cause: string) =>
      `failed to add VolumeGroupSnapshotBeingCreated annotation on the group snapshot content ${content}: ${goQuote(cause)}`,
  ),
  takeFailed: message((volumes: string, cause: string) => `failed to take group snapshot of the volumes [${volumes}]: ${goQuote(cause)}`),
  saveFailed: message((content: string, cause: string) => `error updating status for volume group snapshot content ${content}: ${cause}`),
  unmarkAfterErrorFailed: message(
    (content: string, cause: string) =>
      `failed to remove VolumeGroupSnapshotBeingCreated annotation from the group snapshot content ${content}: ${cause}`,
  ),
  unmarkFailed: message(
    (content: string, cause: string) =>
      `failed to remove VolumeGroupSnapshotBeingCreated annotation on the groupSnapshotContent ${content}: ${goQuote(cause)}`,
  ),
  classUnavailable: message(
    (className: string, content: string, cause: string) =>
      `failed to get group snapshot class ${className} for group snapshot content ${content}: ${cause}`,
  ),
  nothingToCheck: message((content: string) => `cannot list group snapshot ${content}. No snapshots found in the group snapshot content`),
  getFailed: message(
    (content: string, cause: string) => `failed to list group snapshot for group snapshot content ${content}: ${goQuote(cause)}`,
  ),
  nothingToDelete: message(
    (content: string) => `cannot delete group snapshot content ${content}. No snapshots found in the group snapshot`,
  ),
  answeredWithoutGroup: message(() => "the driver answered without a group snapshot"),
  answeredWithoutId: message(() => "the driver answered with a group snapshot without an id"),
  answeredOtherGroup: message(
    (answered: string, known: string) => `the driver answered with group snapshot ${goQuote(answered)} instead of ${goQuote(known)}`,
  ),
  answeredOtherVolume: message(
    (snapshot: string, volume: string) =>
      `the driver answered with snapshot ${goQuote(snapshot)} of volume ${goQuote(volume)}, which is not in the group`,
  ),
  answeredWithoutSnapshotId: message((volume: string) => `the driver answered with a snapshot of volume ${goQuote(volume)} without an id`),
  answeredVolumeTwice: message((volume: string) => `the driver answered with two snapshots of volume ${goQuote(volume)}`),
  answeredSnapshotTwice: message((snapshot: string) => `the driver answered with snapshot ${goQuote(snapshot)} for two volumes`),
  answeredWithoutVolume: message((volume: string) => `the driver answered without a snapshot of volume ${goQuote(volume)}`),
} as const;
