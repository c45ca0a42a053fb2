import type { Key } from "../../object.ts";
import { StringTable } from "./string-table.ts";

/** client-go's IndexFunc: the values under which an object is found; most have none or one. */
export type IndexFunction<P> = (object: P) => readonly string[];

/** Keys by an indexed value. A value with one key, the usual case, costs no set. */
export class IndexTable<P> {
  readonly #values: IndexFunction<P>;
  readonly #keys = new StringTable<Key | Set<Key>>();

  /** An index function that throws is reported and indexes nothing for that object: one reader's bug must not stop the store. */
  constructor(values: IndexFunction<P>, onError: (error: unknown) => void) {
    this.#values = (object) => {
      try {
        return values(object);
      } catch (error) {
        onError(error);
        return [];
      }
    };
  }

  /** Re-indexes one object: `old` is absent for a new one, `object` for a deleted one. */
  change(key: Key, old: P | undefined, object: P | undefined): void {
    const before = old === undefined ? [] : this.#values(old);
    const after = object === undefined ? [] : this.#values(object);
    for (const value of before) if (!after.includes(value)) this.#remove(value, key);
    for (const value of after) if (!before.includes(value)) this.#add(value, key);
  }

  keys(value: string): Iterable<Key> {
    const found = this.#keys.get(value);
    return found === undefined ? [] : typeof found === "string" ? [found] : found;
  }

  #add(value: string, key: Key): void {
    const found = this.#keys.get(value);
    if (found === undefined || found === key) this.#keys.set(value, key);
    else if (typeof found === "string") this.#keys.set(value, new Set([found, key]));
    else found.add(key);
  }

  #remove(value: string, key: Key): void {
    const found = this.#keys.get(value);
    if (found instanceof Set) found.delete(key);
    if (found === key || (found instanceof Set && found.size === 0)) this.#keys.delete(value);
  }
}
