/** The three durations of an election, in milliseconds. */
export interface ElectionTiming {
  /** How long others leave a leader alone that they do not see renewing. Written down in whole seconds. */
  readonly leaseDurationMs: number;
  /** How long a leader tries to renew before it gives up. */
  readonly renewDeadlineMs: number;
  /** Between two tries. */
  readonly retryPeriodMs: number;
}

/** The defaults of the CSI sidecars' `--leader-election-*` flags. */
export const defaultElectionTiming: ElectionTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 5_000 };

/** A candidate waits up to this much more than the retry period, so that candidates do not come all at once. */
export const jitterFactor = 1.2;

/** Why these durations cannot work, in upstream's words; `undefined` when they can. */
export function timingProblem({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: ElectionTiming): string | undefined {
  if (leaseDurationMs <= renewDeadlineMs) return "leaseDuration must be greater than renewDeadline";
  if (renewDeadlineMs <= jitterFactor * retryPeriodMs) return "renewDeadline must be greater than retryPeriod*JitterFactor";
  if (leaseDurationMs <= 0) return "leaseDuration must be greater than zero";
  if (renewDeadlineMs <= 0) return "renewDeadline must be greater than zero";
  if (retryPeriodMs <= 0) return "retryPeriod must be greater than zero";
  return undefined;
}
