import { done, hasFinalizer, isLaterVersion, type Reconcile, requeueAfter } from "@csi-sidecars/controller";
import { isAbort, isConflict, type Key, keyOf, refOf, snapshotFinalizer } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import { claimKeyOf, contentNameOf, isGroupMember } from "../snapshot/binding.ts";
import { unreadyOfClaim } from "../snapshot/snapshot-indexes.ts";
import { claimNeededForMs } from "./claim-need.ts";

/** Protects a claim as long as a snapshot of it is being taken, and no longer. */
export const reconcileClaim =
  (c: SnapshotControllerContext): Reconcile =>
  async (key, signal) => {
    const claim = c.claims.get(key);
    if (!claim) return done;
    const neededMs = neededForMs(c, key);
    const isProtected = hasFinalizer(claim, snapshotFinalizer.claim);
    if (neededMs > 0) {
      // The snapshots of a group are taken before they exist: they keep a claim protected, and are no reason to begin.
      const isToProtect = !isProtected && claim.metadata.deletionTimestamp === undefined && neededForMs(c, key, isSingle) > 0;
      if (isToProtect) await c.protectedClaims.protect(claim, signal);
      return Number.isFinite(neededMs) ? requeueAfter(neededMs) : done;
    }
    if (!isProtected) return done;
    try {
      await c.protectedClaims.release(key, () => neededForMs(c, key) > 0, signal);
    } catch (error) {
      if (!isAbort(error) && !isConflict(error)) warnSnapshot(c, key);
      throw error;
    }
    return done;
  };

const isSingle = (snapshot: Snapshot) => !isGroupMember(snapshot);

/** How long the snapshots of a claim, all or some, need it: see `claimNeededForMs`. */
function neededForMs(c: SnapshotControllerContext, key: Key, counts: (snapshot: Snapshot) => boolean = () => true): number {
  const claim = c.claims.get(key);
  const snapshots = unreadyOfClaim(c.caches.snapshots, key).filter(counts);
  const needs = snapshots.map((cached) => {
    const snapshot = c.snapshots.get(keyOf(cached)) ?? cached;
    if (c.protectedClaims.taking.has(snapshot.metadata.uid)) return Number.POSITIVE_INFINITY;
    const content = c.contents.get(contentNameOf(snapshot) ?? "");
    return claimNeededForMs(snapshot, content, claim, c.clock.now());
  });
  return Math.max(0, ...needs);
}

/** Tells of it in the snapshot of the claim that changed last: the one that does not need it any more, if it is still there. */
function warnSnapshot(c: SnapshotControllerContext, key: Key): void {
  const ofClaim = c.caches.snapshots.list(refOf(key).namespace).filter((snapshot) => claimKeyOf(snapshot) === key);
  const [last] = ofClaim.sort((a, b) => (isLaterVersion(a.metadata.resourceVersion, b.metadata.resourceVersion) ? -1 : 1));
  if (last) c.snapshotEvents.warning(last, eventReasons.claimFinalizerFailed.reason, messages.claimFinalizerFailed());
}
