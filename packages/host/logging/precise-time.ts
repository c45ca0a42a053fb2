import type { Clock } from "@csi-sidecars/base";

/**
 * Wall time in milliseconds, with microseconds, of which a clock has none. It is the monotonic time with an offset; whenever the two
 * disagree by a millisecond, wall time is right, which also follows a clock that is set.
 */
export function preciseTime(clock: Pick<Clock, "now" | "monotonic">): () => number {
  let offset = Number.NaN;
  return () => {
    const [wall, monotonic] = [clock.now(), clock.monotonic()];
    const time = Math.round((offset + monotonic) * 1000) / 1000;
    if (time >= wall && time < wall + 1) return time;
    offset = wall - monotonic;
    return wall;
  };
}
