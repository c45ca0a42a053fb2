import { type Key, refKey } from "../object.ts";
import type { Cached } from "./fields.ts";
import { type IndexFunction, IndexTable } from "./index-table.ts";
import type { StoreChange } from "./store-change.ts";
import { StringTable } from "./string-table.ts";
import type { WatcherEvent } from "./watcher-event.ts";

/** What readers may do with a store. Objects are shared: never change one. */
export interface StoreReader<P> {
  get(key: Key): P | undefined;
  /** All objects, or those of a namespace, in no promised order. */
  list(namespace?: string): P[];
  byIndex(name: string, value: string): P[];
}

const namespaceIndex = "";

/**
 * The objects of a kind as its watcher tells them. Nothing is seen of a list before it is complete: the first fills a store that
 * shows nothing yet; later ones are gathered beside the present state, where unchanged objects are the same ones, so the cost
 * of a relist is that of what changed.
 */
export class Store<P extends Cached> implements StoreReader<P> {
  #objects = new StringTable<P>();
  /** The list in progress, once the store has been filled. */
  #next: StringTable<P> | undefined;
  #filled = false;
  #reuse = true;
  #resourceVersion = "";
  readonly #indexes = new Map<string, IndexTable<P>>();
  readonly #onIndexError: (error: unknown, index: string) => void;

  constructor(options: { readonly onIndexError?: (error: unknown, index: string) => void } = {}) {
    this.#onIndexError = options.onIndexError ?? (() => undefined);
  }

  /** Whether the first list is complete. */
  get filled(): boolean {
    return this.#filled;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  get size(): number {
    return this.#filled ? this.#objects.size : 0;
  }

  get(key: Key): P | undefined {
    return this.#filled ? this.#objects.get(key) : undefined;
  }

  list(namespace?: string): P[] {
    if (!this.#filled) return [];
    if (namespace === undefined) return this.#objects.values();
    if (!this.#indexes.has(namespaceIndex)) this.addIndex(namespaceIndex, (object) => [object.metadata.namespace ?? ""]);
    return this.byIndex(namespaceIndex, namespace);
  }

  byIndex(name: string, value: string): P[] {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index "${name}": add it before asking for it`);
    const found: P[] = [];
    for (const key of index.keys(value)) {
      const object = this.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Objects that are already there are indexed at once. */
  addIndex(name: string, values: IndexFunction<P>): void {
    if (this.#indexes.has(name)) throw new Error(`there is already an index "${name}"`);
    const index = new IndexTable(values, (error) => this.#onIndexError(error, name));
    if (this.#filled) for (const [key, object] of this.#objects) index.change(key, undefined, object);
    this.#indexes.set(name, index);
  }

  removeIndex(name: string): void {
    this.#indexes.delete(name);
  }

  /** The next list brings objects of another form: equal versions do not make them equal. */
  expectOtherForm(): void {
    this.#reuse = false;
  }

  /** The only way anything gets into a store. Says what became different, if anything did. */
  apply(event: WatcherEvent<P>): StoreChange<P> | undefined {
    switch (event.type) {
      case "Init":
        if (this.#filled) this.#next = new StringTable();
        else this.#objects.clear();
        return undefined;
      case "InitApply":
        this.#gather(event.object);
        return undefined;
      case "InitDone":
        this.#resourceVersion = event.resourceVersion;
        return this.#filled ? this.#replace() : this.#fill();
      case "Apply":
        this.#resourceVersion = event.object.metadata.resourceVersion;
        return this.#put(event.object);
      case "Delete":
        if (this.#gathering) {
          (this.#next ?? this.#objects).delete(keyOf(event.object));
          return undefined;
        }
        this.#resourceVersion = event.object.metadata.resourceVersion;
        return this.#delete(event.object);
      case "Bookmark":
        this.#resourceVersion = event.resourceVersion;
        return undefined;
      case "Watching":
      case "Failed":
        return undefined;
    }
  }

  get #gathering(): boolean {
    return !this.#filled || this.#next !== undefined;
  }

  #gather(object: P): void {
    const key = keyOf(object);
    if (!this.#next) {
      this.#objects.set(key, object);
      return;
    }
    const known = this.#objects.get(key);
    this.#next.set(key, known && this.#reuse && isSame(known, object) ? known : object);
  }

  #fill(): StoreChange<P> {
    this.#filled = true;
    this.#reuse = true;
    for (const [key, object] of this.#objects) this.#reindex(key, undefined, object);
    return { type: "Filled" };
  }

  #replace(): StoreChange<P> {
    const before = this.#objects;
    const after = this.#next ?? new StringTable<P>();
    this.#objects = after;
    this.#next = undefined;
    this.#reuse = true;
    for (const [key, old] of before) {
      const object = after.get(key);
      if (object !== old) this.#reindex(key, old, object);
    }
    for (const [key, object] of after) if (!before.has(key)) this.#reindex(key, undefined, object);
    return { type: "Replaced", before, after };
  }

  #put(object: P): StoreChange<P> | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old && isSame(old, object)) return undefined;
    this.#objects.set(key, object);
    this.#reindex(key, old, object);
    return old ? { type: "Updated", old, object } : { type: "Added", object };
  }

  #delete(object: P): StoreChange<P> | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (!old) return undefined;
    this.#objects.delete(key);
    this.#reindex(key, old, undefined);
    return { type: "Deleted", object };
  }

  #reindex(key: Key, old: P | undefined, object: P | undefined): void {
    for (const index of this.#indexes.values()) index.change(key, old, object);
  }
}

function keyOf(object: Cached): Key {
  return refKey(object.metadata);
}

/** Whether both are the same state of the same object. */
export function isSame(a: Cached, b: Cached): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
