/** What every method takes beside its request. */
export interface CallOptions {
  /** Rejects the call. What changes a disk or a volume is left to finish all the same: half a format is worse than none. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}
