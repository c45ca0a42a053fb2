import { claimEvents } from "@csi-sidecars/controller";
import type { Client } from "@csi-sidecars/kube";
import type { HealthEventReason } from "../event-reasons.ts";
import { isLater, type LastSeen, lastSeen } from "../last-seen.ts";

/**
 * The uids of the claims whose last event says that the volume is abnormal, from whatever source. Events expire: what they said is
 * forgotten then, as are claims that were reported long ago.
 */
export async function readEarlierReports(
  kube: Pick<Client, "list">,
  reasons: { readonly abnormal: readonly HealthEventReason[]; readonly normal: HealthEventReason },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const reported = new Map<string, LastSeen>();
  for (const reason of reasons.abnormal) {
    for await (const [uid, seen] of reportsOf(kube, reason, signal)) {
      const known = reported.get(uid);
      if (!known || isLater(seen, known)) reported.set(uid, seen);
    }
  }
  if (reported.size === 0) return new Set();
  for await (const [uid, recovered] of reportsOf(kube, reasons.normal, signal)) {
    const known = reported.get(uid);
    if (known && !isLater(known, recovered)) reported.delete(uid);
  }
  return new Set(reported.keys());
}

async function* reportsOf(
  kube: Pick<Client, "list">,
  { reason, type }: HealthEventReason,
  signal: AbortSignal,
): AsyncGenerator<readonly [uid: string, seen: LastSeen]> {
  for await (const event of claimEvents(kube, { reason }, signal)) {
    const { uid } = event.involvedObject;
    if (uid && event.type === type) yield [uid, lastSeen(event)];
  }
}
