import { isLaterVersion } from "@csi-sidecars/controller";
import type { V1Event } from "@csi-sidecars/kube";

/** When an event was last seen. Its time has seconds only: which of two was written later, their resource versions tell. */
export interface LastSeen {
  readonly atMs: number;
  readonly version: string;
}

/** Events of `events.k8s.io` have no `lastTimestamp`. */
export function lastSeen({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: V1Event): LastSeen {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata?.creationTimestamp;
  const atMs = Date.parse(time ?? "");
  return { atMs: Number.isNaN(atMs) ? 0 : atMs, version: metadata?.resourceVersion ?? "" };
}

export function isLater(one: LastSeen, other: LastSeen): boolean {
  return one.atMs === other.atMs ? isLaterVersion(one.version, other.version) : one.atMs > other.atMs;
}
