/** Growing delays: `start`, `start × factor`, ... never above `cap`, each with up to `jitter` (a fraction) added. */
export interface Backoff {
  readonly start: number;
  readonly factor: number;
  readonly cap: number;
  readonly jitter?: number;
}

/** `ms` plus a random part of up to `fraction × ms`. */
export function jitter(ms: number, fraction: number, random: () => number = Math.random): number {
  return ms + random() * fraction * ms;
}

/** The endless sequence of delays a {@link Backoff} describes; take a new one to reset. */
export function* backoffDelays(backoff: Backoff, random: () => number = Math.random): Generator<number, never> {
  for (let delay = backoff.start; ; delay = Math.min(delay * backoff.factor, backoff.cap)) {
    yield jitter(delay, backoff.jitter ?? 0, random);
  }
}
