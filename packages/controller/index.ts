export { blocked, done, type Reconcile, type ReconcileResult, requeueAfter, retry } from "@csi-sidecars/kube";
export { AdaptiveConcurrency, type LoadSignal, loadSignal } from "./adaptive-concurrency.ts";
export { apiCallOptions, wrapError } from "./api-calls.ts";
export { AssumeCache } from "./assume-cache.ts";
export { isClaimOurs, isProvisioner, type ProvisionerNames, requestedBytes } from "./claims.ts";
export {
  Controller,
  type ControllerContext,
  type ControllerOptions,
  type RetryIntervals,
  retryRateLimiter,
  runAll,
  waitForCacheSync,
} from "./controller.ts";
export { Debounce } from "./debounce.ts";
export { type ControllerCapabilities, controllerCapabilities } from "./driver-capabilities.ts";
export * from "./finalizers.ts";
export { InfeasibleBackoff } from "./infeasible-backoff.ts";
export { KeyedMutex, KeyedTryLock } from "./keyed-locks.ts";
export { type ObjectEvents, objectEvents } from "./object-events.ts";
export { type PatchControllerOptions, type PlannedPatch, startPatchController } from "./patch-controller.ts";
export { readAndUpdate, updateFrom } from "./read-and-update.ts";
export { isLaterVersion, isNewer } from "./resource-version.ts";
export {
  type Parameters,
  readsAnnotations,
  type SecretPurpose,
  type SecretRef,
  secretParameterKeys,
  secretReference,
  secretReferences,
  type TemplateSubjects,
} from "./secret-references.ts";
export { truncateMessage } from "./truncate-message.ts";
