/** How old a snapshot is from which on it is asked for less often. */
const youngMs = 120_000;

/**
 * How long to wait before the driver is asked again whether a snapshot is ready, by the time since it first answered: a tenth of that, so a
 * snapshot that took a minute is noticed within seconds; at most 10 s in the first two minutes, 30 s later, and never less than the first
 * retry interval.
 */
export function readinessPollMs(sinceFirstAnswerMs: number, retryIntervalStartMs: number): number {
  const longest = sinceFirstAnswerMs <= youngMs ? 10_000 : 30_000;
  return Math.max(retryIntervalStartMs, Math.min(longest, sinceFirstAnswerMs / 10));
}
