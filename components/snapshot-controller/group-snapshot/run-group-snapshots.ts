import { waitForCacheSync } from "@csi-sidecars/controller";
import { keyOf } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "../controller-context.ts";
import type { SnapshotControllerComponentContext } from "../flags.ts";
import { reconcileGroupContent } from "../group-content/reconcile-group-content.ts";
import { groupNameOf } from "../group-members.ts";
import { indexVolumeHandles } from "../members/volume-handles.ts";
import { groupContext } from "./group-context.ts";
import { addGroupEventHandlers, enqueueSnapshotOf } from "./group-event-handlers.ts";
import { reconcileGroupSnapshot } from "./reconcile-group-snapshot.ts";

/** Binds, creates and deletes group snapshots, their contents and their members until the context's signal aborts. The cluster serves the kinds. */
export async function runGroupSnapshots(context: SnapshotControllerComponentContext, c: SnapshotControllerContext): Promise<void> {
  const { flags, signal } = context;
  const groups = groupContext(context, c);
  indexVolumeHandles(c.caches.volumes);
  const { groupSnapshots, groupContents, groupClasses } = groups.groupCaches;
  const caches = [groupSnapshots, groupContents, groupClasses, ...Object.values(c.caches)];
  if (!(await waitForCacheSync(caches, signal))) return;
  c.groups = groups.groupCaches;
  // Members of groups have been waiting to know them, and snapshots whose contents name one.
  for (const snapshot of c.caches.snapshots.list()) if (groupNameOf(snapshot)) c.snapshotLoop.enqueue(keyOf(snapshot), "low");
  for (const content of c.caches.contents.list()) if (content.status?.volumeGroupSnapshotHandle) enqueueSnapshotOf(c, content, "low");
  addGroupEventHandlers(groups, flags.resyncPeriod);
  await Promise.all([
    groups.groupLoop.run(reconcileGroupSnapshot(groups), signal),
    groups.groupContentLoop.run(reconcileGroupContent(groups), signal),
  ]);
}
