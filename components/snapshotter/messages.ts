import { goQuote, message } from "@csi-sidecars/base";

/** What the snapshotter writes into events and status, in upstream's words. `cause` is the text of another error. */
export const messages = {
  createFailed: message((cause: string) => `Failed to create snapshot: ${cause}`),
  checkFailed: message((cause: string) => `Failed to check and update snapshot content: ${cause}`),
  credentialsUnreadable: message(() => "Failed to get snapshot credentials"),
  deleteFailed: message(() => "Failed to delete snapshot"),
  clearFailed: message(() => "Failed to clear content status"),
  classMissing: message((className: string) => `volumesnapshotclass.snapshot.storage.k8s.io "${className}" not found`),
  noClass: message((content: string) => `failed to take snapshot ${content} without a snapshot class`),
  inputUnavailable: message(
    (content: string, cause: string) => `failed to get input parameters to create snapshot for content ${content}: ${goQuote(cause)}`,
  ),
  markFailed: message(
    (content: string, cause: string) => `failed to add VolumeSnapshotBeingCreated annotation on the content ${content}: ${goQuote(cause)}`,
  ),
  notBound: message((content: string) => `cannot create snapshot. Snapshot content ${content} not bound to a snapshot`),
  noVolume: message((content: string) => `cannot create snapshot. Volume handle not found in snapshot content ${content}`),
  takeFailed: message((volume: string, cause: string) => `failed to take snapshot of the volume ${volume}: ${goQuote(cause)}`),
  saveFailed: message((content: string, cause: string) => `error updating status for volume snapshot content ${content}: ${cause}`),
  writeFailed: message((content: string, cause: string) => `snapshot controller failed to update ${content} on API server: ${cause}`),
  unmarkAfterErrorFailed: message(
    (content: string, cause: string) => `failed to remove VolumeSnapshotBeingCreated annotation from the content ${content}: ${cause}`,
  ),
  unmarkFailed: message(
    (content: string, cause: string) =>
      `failed to remove VolumeSnapshotBeingCreated annotation on the content ${content}: ${goQuote(cause)}`,
  ),
  classUnavailable: message(
    (className: string, content: string, cause: string) =>
      `failed to get snapshot class ${className} for snapshot content ${content}: ${cause}`,
  ),
  annotatedCredentialsUnread: message(
    (content: string, cause: string) => `failed to get credentials from annotation for snapshot content ${content}: ${cause}`,
  ),
  lookUpFailed: message((content: string, cause: string) => `failed to list snapshot for content ${content}: ${goQuote(cause)}`),
  snapshotNotFound: message((id: string) => `can not find snapshot for snapshotID ${id}`),
  deleteInputUnavailable: message(
    (content: string, cause: string) => `failed to get input parameters to delete snapshot for content ${content}: ${goQuote(cause)}`,
  ),
  answeredWithoutSnapshot: message(() => "the driver answered without a snapshot"),
  answeredWithoutId: message(() => "the driver answered with a snapshot without an id"),
  answeredOtherSnapshot: message((answered: string, known: string) => `the driver answered with snapshot ${answered} instead of ${known}`),
  answeredSenselessSize: message(
    (snapshot: string, bytes: bigint) => `the driver answered that snapshot ${snapshot} has a size of ${bytes} bytes, which is ignored`,
  ),
  secretUnnamed: message(
    (called: string, content: string) => `cannot retrieve secrets for ${called} ${content}, err: secret name or namespace not specified`,
  ),
  credentialsMissing: message((called: string, content: string) => `cannot get credentials for ${called} ${content}`),
  secretReferenceInvalid: message(
    (called: string, content: string, cause: string) => `failed to get secret reference for ${called} ${content}: ${cause}`,
  ),
  credentialsUnread: message(
    (called: string, content: string, cause: string) => `failed to get credentials for ${called} ${content}: ${cause}`,
  ),
  secretUnreadable: message(
    (name: string, namespace: string, cause: string) => `error getting secret ${name} in namespace ${namespace}: ${cause}`,
  ),
  parametersInvalid: message((cause: string) => `failed to remove CSI Parameters of prefixed keys: ${cause}`),
} as const;
