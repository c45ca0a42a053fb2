/** Lets tests wait for a condition without polling. */
export class ConditionVariable {
  readonly #waiting = new Set<() => void>();

  /** Something changed: conditions are checked again. */
  changed(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves as soon as the condition holds; rejects with `complaint()` when it does not within `ms` of real time. */
  async until(condition: () => boolean, ms: number, complaint: () => string): Promise<void> {
    const late = AbortSignal.timeout(ms);
    while (!condition()) {
      if (late.aborted) throw new Error(`not within ${ms} ms: ${complaint()}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          late.removeEventListener("abort", wake);
          resolve();
        };
        this.#waiting.add(wake);
        late.addEventListener("abort", wake, { once: true });
      });
    }
  }
}
