import { apiCallOptions, isLaterVersion } from "@csi-sidecars/controller";
import { type Client, Event, type V1Event } from "@csi-sidecars/kube";

/** How many are read at once. */
const pageSize = 500;

/** The events about claims that the API server has for a reason, from one source or from all. Events expire: what they said is forgotten then. */
export async function* claimEvents(
  kube: Pick<Client, "list">,
  { reason, source }: { readonly reason: string; readonly source?: string },
  signal: AbortSignal,
): AsyncGenerator<V1Event> {
  const fieldSelector = `reason=${reason},involvedObject.kind=PersistentVolumeClaim${source ? `,source=${source}` : ""}`;
  let token: string | undefined;
  do {
    const page = { fieldSelector, limit: pageSize, ...(token && { continue: token }) };
    const { items, metadata } = await kube.list(Event, { ...page, ...apiCallOptions(signal) });
    yield* items;
    token = metadata.continue;
  } while (token);
}

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
