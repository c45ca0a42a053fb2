import { hasFinalizer } from "@csi-sidecars/controller";
import { snapshotFinalizer } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import type { Snapshot } from "../fields.ts";
import { claimKeyOf } from "../snapshot/binding.ts";

/** Enqueues the claim of a snapshot where its protection may not be what the snapshot needs now; one that is being deleted waits for that. */
export function considerClaim(
  { claims, claimLoop }: Pick<SnapshotControllerContext, "claims" | "claimLoop">,
  snapshot: Snapshot,
  isNeeded: boolean,
): void {
  const key = claimKeyOf(snapshot);
  const claim = key === undefined ? undefined : claims.get(key);
  if (key === undefined || !claim) return;
  const isProtected = hasFinalizer(claim, snapshotFinalizer.claim);
  if (isProtected !== isNeeded || (isProtected && claim.metadata.deletionTimestamp !== undefined)) claimLoop.enqueue(key);
}
