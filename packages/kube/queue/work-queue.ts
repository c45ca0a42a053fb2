import { type Clock, systemClock } from "@csi-sidecars/base";
import type { Key } from "../object.ts";
import { LinkedList, type LinkedNode } from "./linked-list.ts";
import type { QueueMetrics, QueueState } from "./queue-metrics.ts";

/** The priority levels. `low` is for keys that nobody waits for (a resync, the initial list); everything else is `normal`. */
export type Priority = "normal" | "low";

export interface WorkQueueOptions {
  readonly clock?: Clock;
  readonly metrics?: QueueMetrics;
}

/** After this many keys of normal priority in a row, a waiting key of low priority is taken: it must not starve. */
export const normalKeysPerLowKey = 16;

interface Entry<K> extends LinkedNode<Entry<K>> {
  readonly key: K;
  /** The key was added and not handed out since. */
  dirty: boolean;
  processing: boolean;
  priority: Priority;
  addedAt: number;
  takenAt: number;
}

/**
 * The keys to reconcile, each at most once, as in client-go's workqueue. Guarantees:
 * - a key that is added any number of times before it is handed out is handed out once;
 * - a key is never handed out twice at the same time: added while it is processed, it is handed out exactly once more, after `done`;
 * - first in, first out within a priority level; normal goes before low, but every 17th key is one of low priority if any waits;
 * - added again with a higher priority, a waiting key moves to the end of that level; a lower priority changes nothing.
 */
export class WorkQueue<K extends NonNullable<unknown> = Key> implements QueueState {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics | undefined;
  readonly #entries = new Map<K, Entry<K>>();
  readonly #processing = new Set<Entry<K>>();
  readonly #normal = new LinkedList<Entry<K>>();
  readonly #low = new LinkedList<Entry<K>>();
  readonly #unwatch: (() => void) | undefined;
  #normalInARow = 0;
  #dirty = 0;
  #shuttingDown = false;
  #waiters: (() => void)[] = [];
  #drainWaiters: (() => void)[] = [];

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#metrics = options.metrics;
    this.#unwatch = this.#metrics?.watch(this);
  }

  /** Keys that can be handed out now. */
  get length(): number {
    return this.#normal.length + this.#low.length;
  }

  /** Keys that were added and not yet handed out, including those that first have to be `done`. */
  get depth(): number {
    return this.#dirty;
  }

  get processing(): number {
    return this.#processing.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  add(key: K, priority: Priority = "normal"): void {
    if (this.#shuttingDown) return;
    const known = this.#entries.get(key);
    if (known?.dirty) {
      this.#raise(known, priority);
      return;
    }
    this.#dirty++;
    this.#metrics?.added();
    const addedAt = this.#clock.monotonic();
    if (known) {
      known.dirty = true;
      known.priority = priority;
      known.addedAt = addedAt;
      return;
    }
    const entry: Entry<K> = { key, dirty: true, processing: false, priority, addedAt, takenAt: 0, previous: undefined, next: undefined };
    this.#entries.set(key, entry);
    this.#level(priority).push(entry);
    this.#wakeOne();
  }

  /** The next key, or `undefined` when none can be handed out now. Every key taken must be given back with `done`. */
  take(): K | undefined {
    const entry = this.#nextEntry();
    if (!entry) return undefined;
    this.#level(entry.priority).remove(entry);
    entry.dirty = false;
    entry.processing = true;
    entry.takenAt = this.#clock.monotonic();
    this.#dirty--;
    this.#processing.add(entry);
    this.#metrics?.taken((entry.takenAt - entry.addedAt) / 1000);
    return entry.key;
  }

  /** Waits for the next key; `undefined` once the queue is shut down and empty. */
  async get(): Promise<K | undefined> {
    for (;;) {
      const key = this.take();
      if (key !== undefined || this.#shuttingDown) return key;
      await this.available();
    }
  }

  /** Resolves when a key can be taken or the queue is shut down; one waiter is woken per key, which another may have taken by then. */
  available(): Promise<void> {
    if (this.length > 0 || this.#shuttingDown) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** The priority the key was handed out with: a retry keeps it. */
  priorityOf(key: K): Priority {
    return this.#entries.get(key)?.priority ?? "normal";
  }

  done(key: K): void {
    const entry = this.#entries.get(key);
    if (!entry?.processing) return;
    entry.processing = false;
    this.#processing.delete(entry);
    this.#metrics?.finished((this.#clock.monotonic() - entry.takenAt) / 1000);
    if (entry.dirty) {
      this.#level(entry.priority).push(entry);
      this.#wakeOne();
    } else {
      this.#entries.delete(key);
    }
    if (this.#processing.size === 0) this.#endDrain();
  }

  /** Rejects further additions; waiting keys are still handed out. Ends `shutDownWithDrain`. */
  shutDown(): void {
    this.#shuttingDown = true;
    this.#unwatch?.();
    this.#wakeAll();
    this.#endDrain();
  }

  /** Shuts down and resolves when every key that was handed out is `done`. */
  shutDownWithDrain(): Promise<void> {
    this.shutDown();
    if (this.#processing.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainWaiters.push(resolve));
  }

  oldestWaitingMs(): number {
    const now = this.#clock.monotonic();
    let oldest = now;
    for (const level of [this.#normal, this.#low]) for (const entry of level) oldest = Math.min(oldest, entry.addedAt);
    return now - oldest;
  }

  runningMs(): { sum: number; longest: number } {
    const now = this.#clock.monotonic();
    let sum = 0;
    let longest = 0;
    for (const { takenAt } of this.#processing) {
      sum += now - takenAt;
      longest = Math.max(longest, now - takenAt);
    }
    return { sum, longest };
  }

  #level(priority: Priority): LinkedList<Entry<K>> {
    return priority === "normal" ? this.#normal : this.#low;
  }

  #raise(entry: Entry<K>, priority: Priority): void {
    if (priority !== "normal" || entry.priority === "normal") return;
    if (!entry.processing) {
      this.#low.remove(entry);
      this.#normal.push(entry);
    }
    entry.priority = "normal";
  }

  #nextEntry(): Entry<K> | undefined {
    const low = this.#low.first;
    const normal = this.#normal.first;
    if (low && (!normal || this.#normalInARow >= normalKeysPerLowKey)) {
      this.#normalInARow = 0;
      return low;
    }
    this.#normalInARow = low ? this.#normalInARow + 1 : 0;
    return normal;
  }

  #wakeOne(): void {
    this.#waiters.shift()?.();
  }

  #wakeAll(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  #endDrain(): void {
    const waiters = this.#drainWaiters;
    this.#drainWaiters = [];
    for (const wake of waiters) wake();
  }
}
