import type { Key } from "../../object.ts";
import type { Cached } from "../fields/fields.ts";
import type { IndexFunction } from "../store/index-table.ts";
import type { StoreReader } from "../store/store.ts";
import type { Handler, HandlerOptions, HandlerRegistration } from "./event-handler.ts";

/** One reader's lister and informer over a shared cache. It is empty until the cache holds every field this reader declared. */
export interface View<P extends Cached> extends StoreReader<P> {
  /** The name is private to this reader: others may use the same. */
  addIndex(name: string, values: IndexFunction<P>): void;
  addHandler(handler: Handler<P>, options?: HandlerOptions): HandlerRegistration;
  /** Whether the view is complete. A handler that must have been called for every object has its own `hasSynced`. */
  hasSynced(): boolean;
  /** Resolves when `hasSynced()`; rejects when the signal aborts or the informer stops first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  lastResourceVersion(): string;
  /** Removes its handlers and indexes; closing the last view ends the watch. */
  close(): void;
}

/** What a view needs of the informer behind it. */
export interface ViewSource {
  readonly store: StoreReader<Cached>;
  addIndex(name: string, values: IndexFunction<Cached>): void;
  removeIndex(name: string): void;
  addHandler(handler: Handler<Cached>, options?: HandlerOptions): HandlerRegistration;
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  lastResourceVersion(): string;
}

/** The caller guarantees that the source caches at least the fields of `P`. */
export function createView<P extends Cached>(source: ViewSource, id: string, onClose: () => void): View<P> {
  const indexes = new Set<string>();
  const registrations = new Set<HandlerRegistration>();
  const own = (index: string) => `${id}/${index}`;
  const shown = <R>(found: R, nothing: R): R => (source.hasSynced() ? found : nothing);
  return {
    get: (key: Key) => shown(source.store.get(key), undefined) as P | undefined,
    list: (namespace) => shown(source.store.list(namespace), []) as P[],
    byIndex: (name, value) => shown(source.store.byIndex(own(name), value), []) as P[],
    addIndex(name, values) {
      source.addIndex(own(name), (object) => values(object as P));
      indexes.add(own(name));
    },
    addHandler(handler, options) {
      const registration = source.addHandler(handler, options);
      registrations.add(registration);
      return registration;
    },
    hasSynced: () => source.hasSynced(),
    waitForSync: (signal) => source.waitForSync(signal),
    lastResourceVersion: () => source.lastResourceVersion(),
    close() {
      for (const registration of registrations) registration.remove();
      for (const index of indexes) source.removeIndex(index);
      onClose();
    },
  };
}
