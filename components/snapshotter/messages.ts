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
  updateFailed: message((content: string, cause: string) => `snapshot controller failed to update ${content} on API server: ${cause}`),
  parametersInvalid: message((cause: string) => `failed to remove CSI Parameters of prefixed keys: ${cause}`),
} as const;
