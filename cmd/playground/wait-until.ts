import { type Clock, systemClock } from "@csi-sidecars/base";

export interface WaitOptions {
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly clock?: Clock;
}

/** Polls `check` until it returns something. Throws what was waited for after the time limit, and at once on the signal. */
export async function waitUntil<T>(
  what: string,
  check: () => T | undefined | Promise<T | undefined>,
  { signal, limitMs = 60_000, clock = systemClock }: WaitOptions,
): Promise<T> {
  const limit = clock.monotonic() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const found = await check();
    if (found !== undefined) return found;
    if (clock.monotonic() > limit) throw new Error(`timed out after ${limitMs / 1000} s waiting for ${what}`);
    await clock.sleep(20, signal);
  }
}
