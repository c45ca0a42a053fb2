import type { KubeObject, ObjectRef } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { Patch } from "./patch.ts";

/**
 * One client = one token bucket and one user agent over a shared transport. Errors are StatusError (the server refused),
 * TransportError (no answer) or InvalidRequestError (nothing was sent).
 */
export interface Client {
  get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: CallOptions): Promise<T>;
  /** One page: pass the answer's `metadata.continue` on to get the next. */
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<KubeList<T>>;
  /**
   * Opens a watch; resolves when the server has answered 200. Events are yielded as they arrive; the iteration ends when the server closes.
   * Each event is parsed when it is read, so a reader that projects it at once never holds more than one whole object.
   * Their `metadata.managedFields` are empty: no reader of a watch needs them, and they are half of its bytes.
   * A connection that breaks off ends the iteration with a TransportError of kind "reset", one that outlives `timeoutSeconds` by 30 s with "timeout".
   */
  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions): Promise<AsyncIterable<WatchEvent<T>>>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T>;
  /** PUT of the whole object; its `metadata.resourceVersion` is the precondition. */
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: SubresourceOptions): Promise<T>;
  patch<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch, options?: SubresourceOptions): Promise<T>;
  delete<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options?: DeleteOptions): Promise<void>;
  /** The kinds served in a group version (`storage.k8s.io/v1`); `undefined` when the server does not serve it. */
  discover(groupVersion: string, options?: CallOptions): Promise<readonly ApiResource[] | undefined>;
  /** Any other path of the server (`/version`, a SelfSubjectAccessReview): JSON in, JSON out. */
  raw<R>(method: "GET" | "POST", path: string, body?: unknown, options?: CallOptions): Promise<R>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Limit of one attempt, default 60 s; the wait for the token bucket does not count. */
  readonly timeoutMs?: number;
  /**
   * Deadline of the whole call as `monotonic()` of the client's clock, including the wait for the token bucket and all retries: a
   * call whose token would come later fails at once, without a request.
   */
  readonly deadline?: number;
  /**
   * Asked when the request is about to be sent, which is after the wait for the token bucket: whether it has become pointless meanwhile. It is
   * not sent then, and the call rejects with a `MootRequestError`.
   */
  readonly isMoot?: () => boolean;
}

export interface WriteOptions extends CallOptions {
  /** The server validates and answers, but stores nothing. */
  readonly dryRun?: boolean;
}

export interface SubresourceOptions extends WriteOptions {
  readonly subresource?: "status";
}

export interface DeleteOptions extends WriteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly gracePeriodSeconds?: number;
}

export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  readonly sendInitialEvents?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface KubeList<T> {
  readonly metadata: ListMeta;
  readonly items: T[];
}

/** What the server sends on a watch. ERROR carries a metav1.Status. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status };

/** metav1.Status, the API server's form of an error. */
export interface Status {
  readonly kind?: "Status";
  readonly apiVersion?: "v1";
  readonly status?: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
    readonly retryAfterSeconds?: number;
  };
}

export interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
}
