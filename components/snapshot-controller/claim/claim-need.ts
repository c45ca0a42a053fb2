import { hasFinalizer } from "@csi-sidecars/controller";
import { snapshotAnnotation, snapshotFinalizer } from "@csi-sidecars/kube";
import type { Claim, Content, Snapshot } from "../fields.ts";
import { isBoundTo } from "../snapshot/binding.ts";

/** As long as a driver that fails may take until its next attempt: `--retry-interval-max` of csi-snapshotter. */
const gracePeriodMs = 300_000;

/**
 * For how many milliseconds a snapshot needs the claim that it is taken of, unless something changes: 0 if it does not, Infinity if it is
 * not a matter of time.
 *
 * It needs it from before its content exists until it is ready. A snapshot without a content that is bound to it has not begun and does not
 * count, whatever it waits for. A claim that is being deleted does not wait for ever for a driver that refuses the snapshot: it is given up
 * when the last attempt has ended with an error, no further one is running, and the claim has waited for five minutes.
 */
export function claimNeededForMs(snapshot: Snapshot, content: Content | undefined, claim: Claim | undefined, now: number): number {
  const { metadata, status } = snapshot;
  if (status?.readyToUse === true || !content || !isBoundTo(content, snapshot)) return 0;
  if (metadata.deletionTimestamp !== undefined && !hasFinalizer(snapshot, snapshotFinalizer.asSource)) return 0;
  const deleted = claim?.metadata.deletionTimestamp;
  if (deleted === undefined || !hasFailed(content)) return Number.POSITIVE_INFINITY;
  return Math.max(0, Date.parse(deleted) + gracePeriodMs - now);
}

/** Whether the driver has answered with an error that is final, and is not working on the snapshot. */
function hasFailed({ metadata, status }: Content): boolean {
  const isRunning = metadata.annotations?.[snapshotAnnotation.beingCreated] !== undefined;
  return status?.error !== undefined && status.snapshotHandle === undefined && !isRunning;
}
