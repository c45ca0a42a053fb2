const firstPauseMs = 500;
const longestPauseMs = 122_000;

/** How long a kubelet waits before it tries a volume operation again that has failed before so many times since its last success. */
export const pauseAfter = (failures: number): number => Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
