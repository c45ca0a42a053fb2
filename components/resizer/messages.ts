import { message } from "@csi-sidecars/base";
import { attributesClassOfOtherDriver } from "@csi-sidecars/controller";

/** What the resizer writes into events and conditions, in upstream's words. `cause` is the text of another error. */
export const messages = {
  resizing: message((volume: string) => `External resizer is resizing volume ${volume}`),
  resized: message(() => "Resize volume succeeded"),
  nodeExpansionRequired: message(() => "Require file system resize of volume on node"),
  waitingForNode: message(() => "Waiting for user to (re-)start a pod to finish file system resize of volume on node."),
  resizeFailed: message(
    (volume: string, driver: string, cause: string) => `resize volume "${volume}" by resizer "${driver}" failed: ${cause}`,
  ),
  expandFailed: message((cause: string) => `failed to expand pvc with ${cause}`),
  inUse: message(
    (claim: string, driver: string) =>
      `Unable to expand ${claim} because CSI driver ${driver} only supports offline expansion and volume is currently in-use`,
  ),
  podsUnknown: message(
    (claim: string, driver: string) =>
      `Unable to expand ${claim}: CSI driver ${driver} only supports offline expansion, and the pods that may use the volume are not listed yet`,
  ),
  answeredTooLittle: message(
    (answered: bigint, asked: bigint) => `the driver answered with a capacity of ${answered} bytes, less than the requested ${asked} bytes`,
  ),
  answeredTooMuch: message(
    (answered: bigint, asked: bigint) =>
      `the driver answered with a capacity of ${answered} bytes, which no volume has, to a request for ${asked} bytes`,
  ),
  failureUnsaved: message(
    (cause: string, claim: string, problem: string) =>
      `resizing failed in controller with ${cause} but failed to update PVC ${claim} with: ${problem}`,
  ),
  secretUnreadable: message(
    (name: string, namespace: string, cause: string) => `error getting secret ${name} in namespace ${namespace}: ${cause}`,
  ),
  modifying: message((claim: string, className: string) => `external resizer is modifying volume ${claim} with vac ${className}`),
  modified: message((claim: string, className: string) => `external resizer modified volume ${claim} with vac ${className} successfully`),
  modifyCanceled: message(() => "Cancelled modify."),
  classMissing: message((className: string) => `VAC "${className}" does not exist.`),
  classOfOtherDriver: attributesClassOfOtherDriver,
  modifyInProgress: message((className: string) => `Modifying volume to "${className}" is in progress.`),
  modifyWaitsForRetry: message((className: string) => `Modifying volume to "${className}" failed. Waiting for retry.`),
  modifyStillInProgress: message((className: string) => `Modifying volume to "${className}" is still in progress.`),
  stillModifying: message((cause: string, className: string) => `${cause}. Still modifying to VAC ${className}`),
  statusNotKept: message(() => "the API server does not keep status.modifyVolumeStatus of the claim"),
  modifiedUnsaved: message(
    (className: string, cause: string) => `the volume has the parameters of vac ${className}, but that cannot be saved: ${cause}`,
  ),
} as const;
