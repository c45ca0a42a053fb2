/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** The result of `work`, or `undefined` as soon as the signal aborts. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return undefined;
  }
  let stop = () => {};
  const over = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A signal that aborts with the first of several; `done` lets go of them, so that long-lived ones gather no listeners. */
export function firstOf(...signals: readonly AbortSignal[]): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  const listeners = signals.map((signal) => ({ signal, listener: () => controller.abort(signal.reason) }));
  const done = () => {
    for (const { signal, listener } of listeners) signal.removeEventListener("abort", listener);
  };
  for (const { signal, listener } of listeners) {
    if (signal.aborted) listener();
    else signal.addEventListener("abort", listener, { once: true });
  }
  return { signal: controller.signal, done };
}

/** Wakes those who wait for something to change. */
export class ChangeSignal {
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
