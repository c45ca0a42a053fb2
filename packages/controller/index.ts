/**
 * The building blocks of a controller, on top of the client, informers and queues of `@csi-sidecars/kube`.
 *
 * - Control loops: a `Controller` is a rate-limited queue and its workers. A reconcile returns `done`, `requeueAfter(ms)`, `retry` or
 *   `blocked`, or throws. `startPatchController` is the whole loop for a driver that needs no calls.
 * - Reading and writing: `AssumeCache` is never behind our own writes; `readAndUpdate` is for kinds that may not be patched;
 *   `addFinalizerPatch` and its like change one finalizer; `patchNewest` plans a patch again when somebody else wrote meanwhile, and
 *   `annotationsPatch`, `finalizersPatch` and `statusPatch` are the patches of custom kinds; `apiCallOptions` has the time limit of a request.
 * - One at a time: `KeyedMutex` waits until the key is free; `KeyedTryLock` does not block the worker and calls back when it is.
 * - Load and failures: `AdaptiveConcurrency` makes fewer calls while the driver is overloaded, `InfeasibleBackoff` delays what it
 *   refused for good, `UnsavedResults` keeps what it answered while that cannot be written, `isLasting` says when users are to be warned,
 *   `Debounce` handles a burst of changes once.
 * - Claims and classes: `isClaimOurs`, `requestedBytes`, the secrets that a class names (`secretReferences`, `snapshotSecret`), and the names
 *   that drivers are told (`objectNameParameters`, `uidPart`). `claimsOf` and `ownsClaim` tell the claims that a pod uses. `WaitingForClass` finds those whose class is created later.
 * - Kinds that may not be installed: `waitForKinds`.
 * - Driver and users: `controllerCapabilities` asks what the driver can do; `objectEvents` and `truncateMessage` are for what users
 *   read in events and status, `claimEvents` for what an earlier process has told them.
 */

export { blocked, done, type Reconcile, type ReconcileResult, requeueAfter, retry, truncateMessage } from "@csi-sidecars/kube";
export { AdaptiveConcurrency, loadSignal } from "./adaptive-concurrency.ts";
export { apiCallOptions, wrapError } from "./api-calls.ts";
export { AssumeCache, isLaterVersion } from "./assume-cache.ts";
export { claimEvents } from "./claim-events.ts";
export { attributesClassOfOtherDriver, isClaimOurs, isProvisioner, requestedBytes } from "./claims.ts";
export {
  Controller,
  type ControllerContext,
  type ControllerOptions,
  type RetryIntervals,
  retryRateLimiter,
  runAll,
  waitForCacheSync,
} from "./controller.ts";
export { annotationsPatch, type FinalizerChange, finalizersPatch, holdingPatch, statusPatch } from "./custom-resource-patches.ts";
export { Debounce } from "./debounce.ts";
export { controllerCapabilities } from "./driver-capabilities.ts";
export * from "./finalizers.ts";
export { InfeasibleBackoff } from "./infeasible-backoff.ts";
export { KeyedMutex, KeyedTryLock } from "./keyed-locks.ts";
export { failedAgain, isLasting, type RepeatedFailure } from "./lasting-failure.ts";
export { missingNodeEnvironment } from "./node-deployment.ts";
export { type ObjectEvents, objectEvents } from "./object-events.ts";
export { objectNameParameters } from "./object-names.ts";
export { type PlannedPatch, startPatchController } from "./patch-controller.ts";
export { type PatchOptions, type PatchTarget, patchNewest } from "./patch-newest.ts";
export { claimsOf, ownsClaim, type UsedClaim } from "./pod-claims.ts";
export { readAndUpdate, updateFrom } from "./read-and-update.ts";
export { readsAnnotations, type SecretPurpose, secretParameterKeys, secretReference, secretReferences } from "./secret-references.ts";
export type { Parameters, SecretRef } from "./secret-templates.ts";
export { installSnapshotKinds } from "./snapshot-kinds.ts";
export { type SnapshotSecretPurpose, snapshotSecret, snapshotSecretKeys } from "./snapshot-secrets.ts";
export { uidPart, uuidLengthProblem } from "./uid-names.ts";
export { UnsavedResults } from "./unsaved-results.ts";
export { waitForKinds } from "./wait-for-kinds.ts";
export { WaitingForClass } from "./waiting-for-class.ts";
