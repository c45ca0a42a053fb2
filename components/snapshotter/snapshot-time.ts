import type { Timestamp } from "@csi-sidecars/csi";

const maxInt64 = 2n ** 63n - 1n;

/** When a snapshot was taken, in nanoseconds since the epoch; `undefined` where the driver did not say, or not a time that Kubernetes can store. */
export function nanosecondsOf(time: Timestamp | undefined): bigint | undefined {
  if (!time) return undefined;
  const nanoseconds = time.seconds * 1_000_000_000n + BigInt(time.nanos);
  return nanoseconds <= maxInt64 && nanoseconds >= -maxInt64 ? nanoseconds : undefined;
}
