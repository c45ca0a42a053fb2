import { LinkedList, type LinkedNode } from "../queue/linked-list.ts";

interface Entry<K, V> extends LinkedNode<Entry<K, V>> {
  readonly key: K;
  value: V;
}

/**
 * Keeps the `limit` most recently used entries. The order of use is a list of its own: a Map finds its oldest entry only behind all
 * those that were removed before, thousands where entries come and go.
 */
export class LruCache<K, V> {
  readonly #limit: () => number;
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #leastUsedFirst = new LinkedList<Entry<K, V>>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry) this.#use(entry);
    return entry?.value;
  }

  set(key: K, value: V): void {
    const known = this.#entries.get(key);
    if (known) {
      known.value = value;
      this.#use(known);
      return;
    }
    const entry: Entry<K, V> = { key, value, previous: undefined, next: undefined };
    this.#entries.set(key, entry);
    this.#leastUsedFirst.push(entry);
    this.#evict();
  }

  #use(entry: Entry<K, V>): void {
    this.#leastUsedFirst.remove(entry);
    this.#leastUsedFirst.push(entry);
  }

  #evict(): void {
    const limit = this.#limit();
    for (let { first } = this.#leastUsedFirst; first && this.#entries.size > limit; { first } = this.#leastUsedFirst) {
      this.#leastUsedFirst.remove(first);
      this.#entries.delete(first.key);
    }
  }
}
