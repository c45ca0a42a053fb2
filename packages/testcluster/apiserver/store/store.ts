import type { JsonObject } from "../../rules/json.ts";
import type { Change } from "./history.ts";
import { Revision, stamped } from "./revision.ts";
import { Table } from "./table.ts";

/** How many changes of each group resource stay watchable by default. */
const defaultWindow = 4096;

/**
 * What etcd is to kube-apiserver: one version counter over all objects, incremented by each write. Everything is
 * synchronous, so a read and the write that depends on it are atomic.
 */
export class Store {
  readonly #tables = new Map<string, Table>();
  readonly #window: number;
  readonly #listeners = new Set<(change: Change) => void>();
  #version: number;
  #floor: number;
  #firstWatchable = 0;

  constructor(options: { readonly window?: number; readonly version?: number } = {}) {
    this.#window = options.window ?? defaultWindow;
    this.#version = options.version ?? 1;
    this.#floor = options.version ?? 0;
  }

  /** The version of the last write: the `resourceVersion` of lists. */
  get version(): number {
    return this.#version;
  }

  table(groupResource: string): Table {
    let table = this.#tables.get(groupResource);
    if (!table) {
      table = new Table(groupResource, this.#window, this.#floor, this.#firstWatchable);
      this.#tables.set(groupResource, table);
    }
    return table;
  }

  get tables(): Iterable<Table> {
    return this.#tables.values();
  }

  /** Stores a new revision of the object under the key. */
  put(table: Table, key: string, object: JsonObject): Revision {
    const version = ++this.#version;
    const current = new Revision(key, version, stamped(object, version));
    this.#apply(table, changeOf(version, key, table.get(key), current));
    return current;
  }

  remove(table: Table, key: string): void {
    const previous = table.get(key);
    if (!previous) return;
    this.#apply(table, changeOf(++this.#version, key, previous, undefined));
  }

  /** Called with every change, after the listeners of the table. */
  onChange(listener: (change: Change) => void): void {
    this.#listeners.add(listener);
  }

  #apply(table: Table, change: Change): void {
    table.apply(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** Drops the history: watches and exact lists of older versions get 410. */
  compact(): void {
    this.#floor = this.#version;
    for (const table of this.#tables.values()) table.compact(this.#version);
  }

  /** After a restart older versions can be listed but no longer watched. */
  restarted(): void {
    this.#firstWatchable = this.#version;
    for (const table of this.#tables.values()) table.watchableFrom(this.#version);
  }
}

const changeOf = (version: number, key: string, previous: Revision | undefined, current: Revision | undefined): Change => ({
  version,
  key,
  previous,
  current,
  encoded: new Map(),
});
