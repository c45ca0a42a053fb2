import { backoffDelays, type Clock, type Logger } from "@csi-sidecars/base";

interface ReadingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What the log says of a failure. */
  readonly failure: string;
}

const retryBackoff = { start: 1_000, factor: 2, cap: 60_000, jitter: 0.1 };

/**
 * Reads what earlier processes have told, from the events of the cluster. `tried` resolves when that was tried once: the work begins then all
 * the same. It is tried until it succeeds or the signal aborts (`done`).
 */
export function readEarlierEvents(
  read: () => Promise<void>,
  { clock, log, signal, failure }: ReadingOptions,
): { readonly tried: Promise<void>; readonly done: Promise<void> } {
  const tried = Promise.withResolvers<void>();
  const readUntilDone = async () => {
    for (const delay of backoffDelays(retryBackoff)) {
      try {
        return await read();
      } catch (error) {
        if (signal.aborted) return;
        log.error(error, failure);
      }
      tried.resolve();
      await clock.sleep(delay, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  };
  return { tried: tried.promise, done: readUntilDone().finally(tried.resolve) };
}
