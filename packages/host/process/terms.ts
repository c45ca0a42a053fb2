/** A time during which components may run and act. */
export interface Term {
  /** Aborts when it is over. */
  readonly signal: AbortSignal;
  /** Whether it is certain, at this very moment, that nobody else acts. */
  mayAct(): boolean;
  /** The work done in it: a next term waits for its end. */
  readonly work: Set<Promise<void>>;
}

/** Where components get their terms. */
export interface Terms {
  /** The term that lasts, or the next one; `undefined` when the signal aborts first. */
  next(signal: AbortSignal): Promise<Term | undefined>;
}

/** The one term of components that are not elected. */
export function endlessTerm(end: AbortSignal): Terms {
  const term: Term = { signal: end, mayAct: () => true, work: new Set() };
  return { next: async (signal) => (signal.aborted ? undefined : term) };
}
