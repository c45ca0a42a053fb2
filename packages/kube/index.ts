export { type AccessAnswer, type AccessQuestion, reviewAccess } from "./client/access-review.ts";
export type * from "./client/client.ts";
export { type ClientMetrics, clientMetrics, type RequestMetrics } from "./client/client-metrics.ts";
export { type ClientOptions, createClient } from "./client/create-client.ts";
export { type ServerVersion, serverVersion } from "./client/discovery.ts";
export { type JsonPatchOperation, jsonPatch, mergePatch, type Patch, strategicMergePatch } from "./client/patch.ts";
export { InvalidRequestError } from "./client/request-url.ts";
export { readSecretText } from "./client/secret-text.ts";
export { whoAmI } from "./client/self-review.ts";
export * from "./client/status-error.ts";
export type { RateLimit } from "./client/token-bucket.ts";
export { MootRequestError } from "./client/with-retry.ts";
export type * from "./config/cluster-config.ts";
export { ConfigError } from "./config/config-fields.ts";
export { type Environment, type Files, systemFiles } from "./config/files.ts";
export { impersonating } from "./config/impersonating.ts";
export { namespaceOf } from "./config/in-cluster.ts";
export { type LoadConfigOptions, loadConfig } from "./config/load-config.ts";
export type { SecretString } from "./config/secret-string.ts";
export * from "./custom-resources.ts";
export { type EventMetrics, type EventOutcome, eventMetrics } from "./events/event-metrics.ts";
export { type EventType, type InvolvedObject, involved } from "./events/event-object.ts";
export { EventBroadcaster, type EventBroadcasterOptions, type EventRecorder, type EventSourceOptions } from "./events/event-recorder.ts";
export type { EventClient } from "./events/event-sink.ts";
export type { FieldTree } from "./informer/fields/field-tree.ts";
export {
  type Cached,
  type CachedOf,
  type FieldSet,
  type FieldSpec,
  fields,
  type ObjectIdentity,
  type Projected,
} from "./informer/fields/fields.ts";
export { projectorFor } from "./informer/fields/projection.ts";
export { InformerFactory, type Informers, type NamedInformerStatus } from "./informer/informer-factory.ts";
export type { Handler, HandlerOptions, HandlerRegistration } from "./informer/shared/event-handler.ts";
export type { InformerFactoryOptions } from "./informer/shared/shared-cache.ts";
export { type InformerStatus, SharedInformer, type SharedInformerOptions } from "./informer/shared/shared-informer.ts";
export type { View } from "./informer/shared/view.ts";
export type { IndexFunction } from "./informer/store/index-table.ts";
export { type ReflectorEvent, reflect } from "./informer/store/reflector.ts";
export { Store, type StoreReader } from "./informer/store/store.ts";
export type { StoreChange } from "./informer/store/store-change.ts";
export { replayDeletedObjects } from "./informer/watcher/deleted-objects-history.ts";
export { streamedListsEnabled, type WatcherOptions, watcher } from "./informer/watcher/watcher.ts";
export { WatcherError, type WatcherEvent, type WatcherStep } from "./informer/watcher/watcher-event.ts";
export { type LabelSelector, labelSelectorProblem, labelSelectorText, matchesLabels } from "./label-selector.ts";
export { type ElectionMetrics, electionMetrics } from "./leases/election-metrics.ts";
export { LeaderElector } from "./leases/leader-elector.ts";
export {
  defaultElectionTiming,
  type ElectionEnd,
  type ElectionNames,
  type ElectionTiming,
  electionNames,
  type LeaderElectorOptions,
  sanitizeName,
  timingProblem,
} from "./leases/leader-elector-options.ts";
export type { LeaseClient } from "./leases/lease-lock.ts";
export * from "./leases/lease-record.ts";
export { type HolderProcess, holderProcessAnnotation, LeaseWriter } from "./leases/lease-writer.ts";
export * from "./object.ts";
export { type QueueMetrics, type WorkQueueMetrics, workQueueMetrics } from "./queue/queue-metrics.ts";
export * from "./queue/rate-limiters.ts";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./queue/rate-limiting-queue.ts";
export {
  blocked,
  CanceledError,
  done,
  isAbort,
  type Reconcile,
  type ReconcileResult,
  requeueAfter,
  retry,
} from "./queue/reconcile-result.ts";
export { type Priority, WorkQueue, type WorkQueueOptions } from "./queue/work-queue.ts";
export { Workers, type WorkersOptions } from "./queue/workers.ts";
export * from "./resource.ts";
export * from "./resources.ts";
export { meetsRequirement, type Requirement, wholeNumber } from "./selector-requirement.ts";
export * from "./snapshot-names.ts";
export * from "./snapshot-resources.ts";
export { hasStorageClassName, storageClassName } from "./storage-class-name.ts";
export { type ConnectOptions, connect } from "./transport/connect.ts";
export type { OpenPool, Pool, PoolSettings } from "./transport/pool.ts";
export { type UserAgentParts, userAgent } from "./transport/request-headers.ts";
export * from "./transport/transport.ts";
export { truncateMessage } from "./truncate-message.ts";
export * from "./well-known.ts";
