import type { Clock } from "@csi-sidecars/base";

const againMs = 60_000;

/** Lets the same text pass once a minute, and every other at once: for what is found out again and again. */
export function reminder(clock: Clock): { isDue(text: string): boolean } {
  let last: { readonly text: string; readonly at: number } | undefined;
  return {
    isDue(text) {
      const now = clock.monotonic();
      if (last?.text === text && now - last.at < againMs) return false;
      last = { text, at: now };
      return true;
    },
  };
}
