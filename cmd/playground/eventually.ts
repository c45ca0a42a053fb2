import { type Clock, systemClock } from "@csi-sidecars/base";

export interface Patience {
  readonly signal: AbortSignal;
  readonly limitMs?: number;
  readonly clock?: Clock;
}

/** The first thing that `look` finds; says what was waited for when that takes too long, and gives up at once on the signal. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  { signal, limitMs = 60_000, clock = systemClock }: Patience,
): Promise<T> {
  const limit = clock.monotonic() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    if (clock.monotonic() > limit) throw new Error(`not seen within ${limitMs / 1000} s: ${what}`);
    await clock.sleep(20, signal);
  }
}
