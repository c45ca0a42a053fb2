import { systemClock } from "@csi-sidecars/base";

/** Waits until `look` finds something, looking again and again; says what was waited for when it takes too long. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 30_000,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > limit) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await systemClock.sleep(20);
  }
}
