import { type JsonObject, stringAt } from "../../rules/json.ts";
import { type Change, History } from "./history.ts";
import { Revision } from "./revision.ts";

/** All objects of one group resource, their recent history, and the listeners. */
export class Table {
  readonly groupResource: string;
  readonly #objects = new Map<string, Revision>();
  readonly #history: History;
  readonly #listeners = new Set<(change: Change) => void>();
  #keys: string[] | undefined;
  #snapshot: { readonly version: number; readonly revisions: readonly Revision[] } | undefined;
  #version = 0;
  #firstWatchable: number;

  constructor(groupResource: string, window: number, floor: number, firstWatchable: number) {
    this.groupResource = groupResource;
    this.#history = new History(window, floor);
    this.#firstWatchable = firstWatchable;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The version of the last change, for caches of what was computed from this table. */
  get version(): number {
    return this.#version;
  }

  /** The oldest version that can be listed. */
  get floor(): number {
    return this.#history.floor;
  }

  /** The oldest version that can be watched: a restarted server has no older events. */
  get watchFloor(): number {
    return Math.max(this.#history.floor, this.#firstWatchable);
  }

  get(key: string): Revision | undefined {
    return this.#objects.get(key);
  }

  /** Every object, or those of one namespace, in the order of lists. */
  *values(namespace?: string): Generator<Revision> {
    const keys = this.#sortedKeys();
    const [from, to] = namespaceRange(keys, itself, namespace);
    for (let i = from; i < to; i++) {
      const found = this.#objects.get(keys[i] ?? "");
      if (found) yield found;
    }
  }

  count(namespace?: string): number {
    const [from, to] = namespaceRange(this.#sortedKeys(), itself, namespace);
    return to - from;
  }

  /**
   * All objects as they were at a version, which must not be below {@link floor}, in the order of lists. The last result is
   * cached for the pages of one list.
   */
  asOf(version: number): readonly Revision[] {
    const effective = Math.min(version, this.#version);
    if (this.#snapshot?.version !== effective) this.#snapshot = { version: effective, revisions: this.#rewound(effective) };
    return this.#snapshot.revisions;
  }

  #rewound(version: number): readonly Revision[] {
    const undone = this.#history.since(version);
    if (undone.length === 0) return [...this.values()];
    const then = new Map(this.#objects);
    for (const change of undone.toReversed()) {
      if (change.previous) then.set(change.key, change.previous);
      else then.delete(change.key);
    }
    return sortedKeys(then.keys()).flatMap((key) => then.get(key) ?? []);
  }

  since(version: number): readonly Change[] {
    return this.#history.since(version);
  }

  /** Stores or removes a revision and notifies the listeners. Called only by the store, which assigns the versions. */
  apply(change: Change): void {
    if (change.current) {
      if (!change.previous) this.#keys = undefined;
      this.#objects.set(change.key, change.current);
    } else {
      this.#objects.delete(change.key);
      this.#keys = undefined;
    }
    this.#version = change.version;
    this.#history.add(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** Stores an object at the version it has, without history. */
  restore(key: string, object: JsonObject): void {
    const version = Number(stringAt(object, "metadata", "resourceVersion"));
    this.#objects.set(key, new Revision(key, version, object));
    this.#keys = undefined;
    this.#snapshot = undefined;
    this.#version = Math.max(this.#version, version);
  }

  compact(version: number): void {
    this.#history.compact(version);
  }

  /** Refuses watches of older versions. */
  watchableFrom(version: number): void {
    this.#firstWatchable = version;
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #sortedKeys(): readonly string[] {
    this.#keys ??= sortedKeys(this.#objects.keys());
    return this.#keys;
  }
}

const itself = (key: string): string => key;

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Keys in the order of lists. */
const sortedKeys = (keys: Iterable<string>): string[] => [...keys].sort(order);

/** Where the keys of a namespace begin and end among things sorted by key; without a namespace, all of them. */
export function namespaceRange<T>(
  sorted: readonly T[],
  keyOf: (item: T) => string,
  namespace: string | undefined,
): readonly [from: number, to: number] {
  if (!namespace) return [0, sorted.length];
  return [firstNotBefore(sorted, keyOf, `${namespace}/`), firstNotBefore(sorted, keyOf, `${namespace}${afterSlash}`)];
}

/** The character that follows the slash, so that it ends the range of a prefix. */
const afterSlash = String.fromCharCode("/".charCodeAt(0) + 1);

/** The first index whose key is not below `bound`. */
export function firstNotBefore<T>(sorted: readonly T[], keyOf: (item: T) => string, bound: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item !== undefined && keyOf(item) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
