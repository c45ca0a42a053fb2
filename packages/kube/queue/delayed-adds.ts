import type { Clock, Timer } from "@csi-sidecars/base";
import type { Key } from "../object.ts";
import { Heap } from "./heap.ts";
import type { Priority } from "./work-queue.ts";

interface Waiting<K> {
  readonly key: K;
  readonly dueAt: number;
  /** Keeps keys that are due at the same moment in the order they came. */
  readonly order: number;
  readonly priority: Priority;
}

/**
 * Keys that shall be added later. A key waits once: of two times the earlier counts, of two priorities the higher.
 * One timer runs, for the key that is due first.
 */
export class DelayedAdds<K = Key> {
  readonly #clock: Clock;
  readonly #add: (key: K, priority: Priority) => void;
  readonly #heap = new Heap<Waiting<K>>((a, b) => a.dueAt - b.dueAt || a.order - b.order);
  /** The entry that counts for a key; others of the same key in the heap are leftovers. */
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

  /** Forgets everything that waits. */
  clear(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#heap.clear();
    this.#current.clear();
  }

  #arm(): void {
    this.#dropLeftovers();
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

  #dropLeftovers(): void {
    for (let first = this.#heap.first; first && this.#current.get(first.key) !== first; first = this.#heap.first) this.#heap.shift();
  }
}
