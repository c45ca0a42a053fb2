import type { Clock, Timer } from "@csi-sidecars/base";
import type { Key } from "../object.ts";
import type { Priority } from "./work-queue.ts";

interface Waiting<K> {
  readonly key: K;
  readonly dueAt: number;
  /** Keeps keys that are due at the same moment in the order of their addition. */
  readonly order: number;
  readonly priority: Priority;
}

/**
 * The keys of `addAfter`. A key waits once: the earlier of two times and the higher of two priorities count.
 * One timer runs, for the key that is due first.
 */
export class DelayedAdds<K = Key> {
  readonly #clock: Clock;
  readonly #add: (key: K, priority: Priority) => void;
  readonly #heap = new Heap<Waiting<K>>((a, b) => a.dueAt - b.dueAt || a.order - b.order);
  /** The valid entry of each key; other entries of the same key in the heap are stale. */
  readonly #current = new Map<K, Waiting<K>>();
  #order = 0;
  #timer: { readonly dueAt: number; readonly timer: Timer } | undefined;

  constructor(clock: Clock, add: (key: K, priority: Priority) => void) {
    this.#clock = clock;
    this.#add = add;
  }

  get length(): number {
    return this.#current.size;
  }

  schedule(key: K, delayMs: number, priority: Priority): void {
    const known = this.#current.get(key);
    const wanted = this.#clock.monotonic() + delayMs;
    const dueAt = known ? Math.min(known.dueAt, wanted) : wanted;
    const best = known?.priority === "normal" ? "normal" : priority;
    if (known && known.dueAt === dueAt && known.priority === best) return;
    const waiting = { key, dueAt, order: this.#order++, priority: best };
    this.#current.set(key, waiting);
    this.#heap.push(waiting);
    this.#arm();
  }

  /** Adds those that `which` selects now. */
  addNow(which: (key: K) => boolean): void {
    const selected = [...this.#current.values()].filter(({ key }) => which(key)).sort((a, b) => a.dueAt - b.dueAt || a.order - b.order);
    for (const { key, priority } of selected) {
      this.#current.delete(key);
      this.#add(key, priority);
    }
    this.#arm();
  }

  /** Drops all keys. */
  clear(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#heap.clear();
    this.#current.clear();
  }

  #arm(): void {
    this.#dropStale();
    const first = this.#heap.first;
    if (this.#timer && this.#timer.dueAt === first?.dueAt) return;
    this.#timer?.timer.cancel();
    this.#timer = first && {
      dueAt: first.dueAt,
      timer: this.#clock.after(Math.ceil(first.dueAt - this.#clock.monotonic()), () => this.#fire()),
    };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (let first = this.#heap.first; first && first.dueAt <= now; first = this.#heap.first) {
      this.#heap.shift();
      if (this.#current.get(first.key) !== first) continue;
      this.#current.delete(first.key);
      this.#add(first.key, first.priority);
    }
    this.#arm();
  }

  #dropStale(): void {
    for (let first = this.#heap.first; first && this.#current.get(first.key) !== first; first = this.#heap.first) this.#heap.shift();
  }
}

/** A binary heap: the smallest element, by the given order, is always first. */
class Heap<T> {
  readonly #compare: (a: T, b: T) => number;
  #items: T[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let hole = items.length;
    items.push(item);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = items[parent] as T;
      if (this.#compare(above, item) <= 0) break;
      items[hole] = above;
      hole = parent;
    }
    items[hole] = item;
  }

  /** Removes and returns the smallest element. */
  shift(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items = [];
  }

  #sink(item: T): void {
    const items = this.#items;
    let hole = 0;
    for (let child = 1; child < items.length; child = 2 * hole + 1) {
      if (child + 1 < items.length && this.#compare(items[child + 1] as T, items[child] as T) < 0) child++;
      const below = items[child] as T;
      if (this.#compare(item, below) <= 0) break;
      items[hole] = below;
      hole = child;
    }
    items[hole] = item;
  }
}
