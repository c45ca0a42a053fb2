import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@csi-sidecars/base";
import { EventLoopYield } from "../watcher/event-loop-yield.ts";

/**
 * client-go's ResourceEventHandler. Each handler is called in order, one call at a time: a call that returns a promise is awaited
 * while other handlers continue. What it throws is reported, and the next call is made.
 */
export interface Handler<P> {
  /** `initial`: the object existed before the handler, or before the first list was complete. */
  onAdd?(object: P, info: { readonly initial: boolean }): void | Promise<void>;
  /** On a resync both are the same object. A new object under the same name is not an update: the old one is deleted, then the new one added. */
  onUpdate?(old: P, object: P): void | Promise<void>;
  /** `finalStateUnknown`: the deletion itself was missed; the object is its last known state. */
  onDelete?(object: P, info: { readonly finalStateUnknown: boolean }): void | Promise<void>;
}

export interface HandlerOptions {
  /** How often `onUpdate(object, object)` is called for every object; never if 0 or absent; at least a second. */
  readonly resyncMs?: number;
  /** Names the handler in error reports. */
  readonly name?: string;
}

/** A handler's registration with its informer. */
export interface HandlerRegistration {
  /** Whether the informer is synced and this handler was called for every initial object. */
  hasSynced(): boolean;
  /** Resolves when `hasSynced()`; rejects when the signal aborts, the handler is removed or the informer stops first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** No call starts after this. */
  remove(): void;
}

/** One entry of a handler's queue. An array of many objects is shared among all handlers. */
export type Notification<P> =
  | { readonly type: "initial" | "resync"; readonly objects: readonly P[] }
  | { readonly type: "add"; readonly object: P }
  | { readonly type: "update"; readonly old: P; readonly object: P }
  | { readonly type: "delete"; readonly object: P; readonly finalStateUnknown: boolean };

/** A handler and its pending notifications, without limit: a slow handler delays no other. */
export class HandlerQueue<P> {
  readonly #handler: Handler<P>;
  readonly #eventLoopYield: EventLoopYield;
  /** The async context of the caller that added the handler: a stray rejection is attributed to its component, not to the reflector. */
  readonly #inOwnContext = AsyncLocalStorage.snapshot();
  readonly #onError: (error: unknown) => void;
  readonly #onInitial: () => void;
  #waiting: Notification<P>[] = [];
  #draining = false;
  #closed = false;

  constructor(
    handler: Handler<P>,
    options: { readonly clock: Clock; readonly onError: (error: unknown) => void; readonly onInitial: () => void },
  ) {
    this.#handler = handler;
    this.#eventLoopYield = new EventLoopYield(options.clock);
    this.#onError = options.onError;
    this.#onInitial = options.onInitial;
  }

  push(notification: Notification<P>): void {
    if (this.#closed) return;
    this.#waiting.push(notification);
    if (this.#draining) return;
    this.#draining = true;
    queueMicrotask(() => void this.#inOwnContext(() => this.#drain()));
  }

  /** Drops pending notifications; no call starts after this. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const notification of batch) await this.#notify(notification);
      // Else an array that was empty and waiting during a collection of young garbage keeps all that came into it later.
      batch.length = 0;
    }
    this.#draining = false;
  }

  async #notify(notification: Notification<P>): Promise<void> {
    switch (notification.type) {
      case "initial":
        for (const object of notification.objects) {
          const result = this.#call(() => this.#handler.onAdd?.(object, { initial: true }));
          if (result) await result;
        }
        this.#onInitial();
        break;
      case "resync":
        for (const object of notification.objects) {
          const result = this.#call(() => this.#handler.onUpdate?.(object, object));
          if (result) await result;
        }
        break;
      case "add":
        await this.#call(() => this.#handler.onAdd?.(notification.object, { initial: false }));
        break;
      case "update":
        await this.#call(() => this.#handler.onUpdate?.(notification.old, notification.object));
        break;
      case "delete":
        await this.#call(() => this.#handler.onDelete?.(notification.object, { finalStateUnknown: notification.finalStateUnknown }));
        break;
    }
  }

  /** Returns a promise only where there is something to await, so that synchronous handlers run without a pause. */
  #call(call: () => void | Promise<void>): Promise<void> | undefined {
    if (this.#closed) return undefined;
    try {
      const result = call();
      if (result instanceof Promise) return result.catch(this.#onError);
    } catch (error) {
      this.#onError(error);
    }
    return this.#eventLoopYield.step();
  }
}
