interface Waiter {
  readonly enter: () => void;
  readonly refuse: (reason: Error) => void;
}

/** A bound on how much happens at the same time. Those who wait are let in in the order of their coming. */
export class Slots {
  #free: number;
  #refusal: Error | undefined;
  readonly #waiting = new Set<Waiter>();

  constructor(size: number) {
    this.#free = size;
  }

  /** Nobody waits. */
  get uncontended(): boolean {
    return this.#waiting.size === 0;
  }

  /** Resolves to the function that gives the slot back. Rejects with the signal's reason when it aborts first. */
  take(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (this.#refusal) return reject(this.#refusal);
      if (signal?.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        enter: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#leaveOnce());
        },
        refuse: (reason) => {
          signal?.removeEventListener("abort", onAbort);
          reject(reason);
        },
      };
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
      };
      if (this.#free > 0) {
        this.#free--;
        return waiter.enter();
      }
      this.#waiting.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Rejects those who wait, and whoever comes. */
  refuse(reason: Error): void {
    this.#refusal = reason;
    for (const waiter of this.#waiting) waiter.refuse(reason);
    this.#waiting.clear();
  }

  #leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const [next] = this.#waiting;
      if (!next) {
        this.#free++;
        return;
      }
      this.#waiting.delete(next);
      next.enter();
    };
  }
}
