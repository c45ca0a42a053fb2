import type { Key } from "../object.ts";
import type { Cached } from "./fields.ts";
import type { Handler, HandlerOptions, Registration } from "./handler.ts";
import type { IndexFunction } from "./index-table.ts";
import type { StoreReader } from "./store.ts";

/** One reader's window on a shared cache. It shows nothing before the cache holds everything this reader declared. */
export interface View<P extends Cached> extends StoreReader<P> {
  /** The name is the reader's own: other readers may use the same. */
  addIndex(name: string, values: IndexFunction<P>): void;
  addHandler(handler: Handler<P>, options?: HandlerOptions): Registration;
  /** Whether the view shows the cluster. A handler that must have been called for everything has a `hasSynced` of its own. */
  hasSynced(): boolean;
  /** Resolves when `hasSynced()`; rejects when the signal aborts or the informer stops first. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  lastResourceVersion(): string;
  /** Takes back handlers and indexes; the last reader's leaving ends the watch. */
  close(): void;
}

/** What a view needs of the informer behind it. */
export interface ViewSource {
  readonly store: StoreReader<Cached>;
  addIndex(name: string, values: IndexFunction<Cached>): void;
  removeIndex(name: string): void;
  addHandler(handler: Handler<Cached>, options?: HandlerOptions): Registration;
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  lastResourceVersion(): string;
}

/** `P` is what the source's projection keeps at least: the caller vouches for it. */
export function viewOf<P extends Cached>(source: ViewSource, id: string, onClose: () => void): View<P> {
  const indexes = new Set<string>();
  const registrations = new Set<Registration>();
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
