import { type Key, refKey } from "../../object.ts";
import type { Cached } from "../fields/fields.ts";
import type { WatcherEvent } from "../watcher/watcher-event.ts";
import { type IndexFunction, IndexTable } from "./index-table.ts";
import { isSame, type StoreChange } from "./store-change.ts";
import { StringTable } from "./string-table.ts";

/** The read side of a store. Objects are shared: never change one. */
export interface StoreReader<P> {
  get(key: Key): P | undefined;
  /** All objects, or those of a namespace, in no particular order. */
  list(namespace?: string): P[];
  byIndex(name: string, value: string): P[];
}

const namespaceIndex = "";

/**
 * The objects of a kind as its watcher reports them. A list becomes visible when it is complete: the first fills a store that
 * shows nothing until then; later ones are collected beside the current state and share every unchanged object with it, so a
 * relist costs only what changed.
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
    if (!index) throw new Error(`there is no index "${name}": add it before reading it`);
    const found: P[] = [];
    for (const key of index.keys(value)) {
      const object = this.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  /** Existing objects are indexed at once. */
  addIndex(name: string, values: IndexFunction<P>): void {
    if (this.#indexes.has(name)) throw new Error(`there is already an index "${name}"`);
    const index = new IndexTable(values, (error) => this.#onIndexError(error, name));
    if (this.#filled) for (const [key, object] of this.#objects) index.change(key, undefined, object);
    this.#indexes.set(name, index);
  }

  removeIndex(name: string): void {
    this.#indexes.delete(name);
  }

  /** The next list brings objects with other fields: an equal version does not make them equal. */
  expectOtherFields(): void {
    this.#reuse = false;
  }

  /** The only way to change a store. Returns what changed, if anything did. */
  apply(event: WatcherEvent<P>): StoreChange<P> | undefined {
    switch (event.type) {
      case "Init":
        if (this.#filled) this.#next = new StringTable();
        else this.#objects.clear();
        return undefined;
      case "InitApply":
        this.#collect(event.object);
        return undefined;
      case "InitDone":
        this.#resourceVersion = event.resourceVersion;
        return this.#filled ? this.#replace() : this.#fill();
      case "Apply":
        this.#resourceVersion = event.object.metadata.resourceVersion;
        return this.#put(event.object);
      case "Delete":
        if (this.#listing) {
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

  get #listing(): boolean {
    return !this.#filled || this.#next !== undefined;
  }

  #collect(object: P): void {
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
