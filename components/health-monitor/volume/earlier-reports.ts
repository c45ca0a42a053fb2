import { apiCallOptions, isLaterVersion } from "@csi-sidecars/controller";
import { type Client, Event, type V1Event } from "@csi-sidecars/kube";
import type { HealthEventReason } from "../event-reasons.ts";

/** When an event was last seen. Its time has seconds only: which of two was written later, their resource versions tell. */
interface Seen {
  readonly atMs: number;
  readonly version: string;
}

/** How many events are read at once. */
const pageSize = 500;

/**
 * The uids of the claims whose last event says that the volume is abnormal, from whatever source. Events expire: what they said is
 * forgotten then, as are claims that were reported long ago.
 */
export async function readEarlierReports(
  kube: Pick<Client, "list">,
  reasons: { readonly abnormal: readonly HealthEventReason[]; readonly normal: HealthEventReason },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const reported = new Map<string, Seen>();
  for (const reason of reasons.abnormal) {
    for await (const [uid, seen] of claimEvents(kube, reason, signal)) {
      const known = reported.get(uid);
      if (!known || isLater(seen, known)) reported.set(uid, seen);
    }
  }
  if (reported.size === 0) return new Set();
  for await (const [uid, recovered] of claimEvents(kube, reasons.normal, signal)) {
    const known = reported.get(uid);
    if (known && !isLater(known, recovered)) reported.delete(uid);
  }
  return new Set(reported.keys());
}

async function* claimEvents(
  kube: Pick<Client, "list">,
  { reason, type }: HealthEventReason,
  signal: AbortSignal,
): AsyncGenerator<readonly [uid: string, seen: Seen]> {
  const fieldSelector = `reason=${reason},involvedObject.kind=PersistentVolumeClaim`;
  let token: string | undefined;
  do {
    const page = { fieldSelector, limit: pageSize, ...(token && { continue: token }) };
    const { items, metadata } = await kube.list(Event, { ...page, ...apiCallOptions(signal) });
    for (const event of items) {
      const { uid } = event.involvedObject;
      if (uid && event.type === type) yield [uid, seenAt(event)];
    }
    token = metadata.continue;
  } while (token);
}

/** Events of `events.k8s.io` have no `lastTimestamp`. */
function seenAt({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: V1Event): Seen {
  const time = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata?.creationTimestamp;
  const atMs = Date.parse(time ?? "");
  return { atMs: Number.isNaN(atMs) ? 0 : atMs, version: metadata?.resourceVersion ?? "" };
}

function isLater(one: Seen, other: Seen): boolean {
  return one.atMs === other.atMs ? isLaterVersion(one.version, other.version) : one.atMs > other.atMs;
}
