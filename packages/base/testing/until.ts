import type { FakeClock } from "./fake-clock.ts";

/**
 * Waits in a test until `look` returns something other than `undefined` or `false`, and returns that. `what` names it in the error
 * on timeout; a function may add what was seen instead.
 *
 * ```ts
 * await until("the volume is attached", async () => (await client.get(VolumeAttachment, ref)).status?.attached);
 * ```
 */
export async function until<T>(
  what: string | (() => string),
  look: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 20_000,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > limit)
      throw new Error(`timed out after ${limitMs} ms waiting for: ${typeof what === "string" ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Advances a fake clock in steps until something has happened that also takes real time, such as a response over a socket. The limit
 * is in real time.
 */
export async function advanceUntil(
  clock: FakeClock,
  what: string | (() => string),
  happened: () => unknown,
  { stepMs, limitMs = 20_000 }: { readonly stepMs: number; readonly limitMs?: number },
): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await happened())) {
    if (performance.now() > limit)
      throw new Error(`timed out after ${limitMs} ms waiting for: ${typeof what === "string" ? what : what()}`);
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
