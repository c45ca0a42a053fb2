import type { FakeClock } from "./fake-clock.ts";

/**
 * Lets a fake clock's time pass in steps until something has happened that also takes real time, such as an answer over a socket. The
 * limit is in real time; where `what` is a function, it tells at the end what was seen instead.
 */
export async function passUntil(
  clock: FakeClock,
  what: string | (() => string),
  happened: () => unknown,
  { stepMs, limitMs = 20_000 }: { readonly stepMs: number; readonly limitMs?: number },
): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await happened())) {
    if (performance.now() > limit) throw new Error(`waited ${limitMs} ms in vain for: ${typeof what === "string" ? what : what()}`);
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
