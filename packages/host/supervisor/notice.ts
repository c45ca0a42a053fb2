import { unlessAborted } from "./waiting.ts";

/** Wakes those who wait for something to change. */
export class Notice {
  readonly #waiters = new Set<() => void>();

  /** Resolves with the next change, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add(resolve);
    await unlessAborted(signal, promise);
    this.#waiters.delete(resolve);
  }

  changed(): void {
    for (const wake of [...this.#waiters]) wake();
  }
}
