/** Calls of which only so many are made at the same time. */
export class ConcurrentCalls {
  readonly #limit: number;
  readonly #running = new Map<string, Promise<void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Makes a call as soon as there is room; resolves when it has begun. One whose key is still being called for is left out. */
  async begin(key: string, call: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit && !this.#running.has(key)) await Promise.race(this.#running.values());
    if (this.#running.has(key)) return;
    const running = call().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
  }

  /** Resolves when none is running. */
  async ended(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
