import { waitForCacheSync } from "@csi-sidecars/controller";
import { reconcileClaim } from "../claim/reconcile-claim.ts";
import { reconcileContent } from "../content/reconcile-content.ts";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { addEventHandlers } from "../event-handlers.ts";
import type { SnapshotControllerComponentContext } from "../flags.ts";
import { reconcileSnapshot } from "./reconcile-snapshot.ts";

/** Works on single snapshots, their contents and the claims that they are taken of, until the context's signal aborts. */
export async function runSnapshots(context: SnapshotControllerComponentContext, c: SnapshotControllerContext): Promise<void> {
  const { flags, signal } = context;
  // The handlers look up objects of several kinds: what exists now is given to them when all are known.
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return;
  addEventHandlers(c, flags.resyncPeriod);
  await Promise.all([
    c.snapshotLoop.run(reconcileSnapshot(c), signal),
    c.contentLoop.run(reconcileContent(c), signal),
    c.claimLoop.run(reconcileClaim(c), signal),
  ]);
}
