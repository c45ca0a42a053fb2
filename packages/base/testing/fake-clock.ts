import { type Clock, sleepOn, type Timer } from "../clock.ts";

interface Pending {
  due: number;
  order: number;
  fn: () => void;
}

/**
 * A clock that stands still until a test moves it.
 *
 * ```ts
 * const clock = new FakeClock();
 * queue.addAfter("key", 5_000);
 * await clock.advance(5_000); // fires every timer that became due, in order
 * ```
 */
export class FakeClock implements Clock {
  #elapsed = 0;
  #order = 0;
  readonly #start: number;
  readonly #pending = new Set<Pending>();

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, fn: () => void): Timer {
    const pending = { due: this.#elapsed + Math.max(0, ms), order: this.#order++, fn };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** How many timers wait: lets a test know that the code under test has reached its wait. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Milliseconds until the next timer fires; `undefined` when nothing waits. */
  get nextIn(): number | undefined {
    const next = this.#next(Number.POSITIVE_INFINITY);
    return next && next.due - this.#elapsed;
  }

  /** Moves time on, firing due timers one by one; between them promise continuations run, so code may arm new timers. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms;
    await settle();
    for (let next = this.#next(target); next; next = this.#next(target)) {
      this.#elapsed = Math.max(this.#elapsed, next.due);
      this.#pending.delete(next);
      next.fn();
      await settle();
    }
    this.#elapsed = target;
  }

  #next(limit: number): Pending | undefined {
    let first: Pending | undefined;
    for (const p of this.#pending) {
      if (p.due <= limit && (!first || p.due < first.due || (p.due === first.due && p.order < first.order))) first = p;
    }
    return first;
  }
}

/** Lets promise chains and already queued macrotasks run. */
async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
