/**
 * What a reader wants to be told. Each handler is called in order, one call at a time: a call that returns a promise is waited
 * for, while other handlers go on. What it throws is reported, and the next call is made.
 */
export interface Handler<P> {
  /** `initial`: the object was there before the handler, or before the first list was complete. */
  onAdd?(object: P, info: { readonly initial: boolean }): void | Promise<void>;
  /** On a resync both are the same object. An object with another uid is no update: the old one is deleted, then the new one added. */
  onUpdate?(old: P, object: P): void | Promise<void>;
  /** `finalStateUnknown`: the deletion itself was missed; the object is what was last known of it. */
  onDelete?(object: P, info: { readonly finalStateUnknown: boolean }): void | Promise<void>;
}

export interface HandlerOptions {
  /** How often `onUpdate(object, object)` is called for every object; 0 or nothing for never, less than a second means a second. */
  readonly resyncMs?: number;
  /** Names the handler where it fails. */
  readonly name?: string;
}

/** A handler's place with its informer. */
export interface Registration {
  /** Whether the informer is synced and this handler was told about everything that was there. */
  hasSynced(): boolean;
  /** Resolves when `hasSynced()`; rejects when the signal aborts, the handler is removed or the informer stops first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** No call is begun after this. */
  remove(): void;
}

/** One entry of a handler's queue. Many objects at once share one array among all handlers. */
export type Delivery<P> =
  | { readonly type: "initial" | "resync"; readonly objects: readonly P[] }
  | { readonly type: "add"; readonly object: P }
  | { readonly type: "update"; readonly old: P; readonly object: P }
  | { readonly type: "delete"; readonly object: P; readonly finalStateUnknown: boolean };
