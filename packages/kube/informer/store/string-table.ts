import { dictionary } from "@csi-sidecars/base";

/**
 * A map with string keys for tables that grow large and live long. It is backed by an object without prototype instead of a `Map`:
 * JavaScriptCore quadruples a Map's storage, which at 20,000 keys costs 180 bytes per key where this costs 60; and it interns the
 * keys, so that equal keys of different tables (a volume's name, the claims and attachments indexed by it) share their characters.
 */
export class StringTable<V extends NonNullable<unknown>> {
  #slots = dictionary<V>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#slots[key];
  }

  has(key: string): boolean {
    return this.#slots[key] !== undefined;
  }

  set(key: string, value: V): void {
    if (this.#slots[key] === undefined) this.#size++;
    this.#slots[key] = value;
  }

  delete(key: string): void {
    if (this.#slots[key] === undefined) return;
    delete this.#slots[key];
    this.#size--;
  }

  clear(): void {
    this.#slots = dictionary();
    this.#size = 0;
  }

  values(): V[] {
    return Object.values(this.#slots);
  }

  *[Symbol.iterator](): Generator<[key: string, value: V], void, undefined> {
    for (const key in this.#slots) {
      const value = this.#slots[key];
      if (value !== undefined) yield [key, value];
    }
  }
}
