const largestMarginMs = 100;

/** How long a probe may take: kubelet often waits exactly `--probe-timeout`, and an answer a little earlier tells it what is wrong. */
export function budgetOf(probeTimeoutMs: number): number {
  return probeTimeoutMs - Math.min(largestMarginMs, probeTimeoutMs / 10);
}
