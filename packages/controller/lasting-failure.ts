/** A write that keeps failing, of something that only this process knows. */
export interface RepeatedFailure {
  /** How often it was tried. */
  readonly attempts: number;
  /** When it failed first, on the monotonic clock. */
  readonly since: number;
}

const lastingAttempts = 5;
const lastingMs = 30_000;

/** The failure with one more attempt. */
export function failedAgain(before: RepeatedFailure | undefined, now: number): RepeatedFailure {
  return { attempts: (before?.attempts ?? 0) + 1, since: before?.since ?? now };
}

/** Whether users are to be warned. A single failure of the API server is over before anybody could do something about it. */
export function isLasting({ attempts, since }: RepeatedFailure, now: number): boolean {
  return attempts >= lastingAttempts || now - since >= lastingMs;
}
