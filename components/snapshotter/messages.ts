import { goQuote, message } from "@csi-sidecars/base";

/** What the snapshotter writes into events and status, in upstream's words. `cause` is the text of another error. */
export const messages = {
  createFailed: message((cause: string) => `Failed to create snapshot: ${cause}`),
  checkFailed: message((cause: string) => `Failed to check and update snapshot content: ${cause}`),
  credentialsUnreadable: message(() => "Failed to get snapshot credentials"),
  deleteFailed: message(() => "Failed to delete snapshot"),
  clearFailed: message(() => "Failed to clear content status"),
  groupCreateFailed: message((cause: string) => `Failed to create group snapshot: ${cause}`),
  groupCheckFailed: message((cause: string) => `Failed to check and update group snapshot content: ${cause}`),
  groupDeleteFailed: message(() => "Failed to delete group snapshot"),
  classMissing: message((className: string) => `volumesnapshotclass.snapshot.storage.k8s.io "${className}" not found`),
  groupClassMissing: message((className: string) => `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${className}" not found`),
  noClass: message((content: string) => `failed to take snapshot ${content} without a snapshot class`),
  noGroupClass: message((content: string) => `failed to take group snapshot ${content} without a group snapshot class`),
  inputUnavailable: message(
    (content: string, cause: string) => `failed to get input parameters to create snapshot for content ${content}: ${goQuote(cause)}`,
  ),
  groupInputUnavailable: message(
    (content: string, cause: string) =>
      `failed to get input parameters to create group snapshot for group snapshot content ${content}: ${goQuote(cause)}`,
  ),
  parametersInvalid: message((cause: string) => `failed to remove CSI Parameters of prefixed keys: ${cause}`),
} as const;
