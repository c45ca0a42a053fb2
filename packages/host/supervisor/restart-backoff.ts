const firstDelayMs = 1_000;
const maxDelayMs = 300_000;
const stableMs = 600_000;

/** When a component that failed starts again: after 1 s, then twice as long with each failure in a row, at most 5 minutes. */
export class RestartBackoff {
  #failures = 0;

  /** The failures in a row: a run of ten minutes ends the row. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure after a run of that length; returns how long to wait before the restart. */
  failed(ranMs: number): number {
    if (ranMs >= stableMs) this.#failures = 0;
    return Math.min(maxDelayMs, firstDelayMs * 2 ** this.#failures++);
  }
}
