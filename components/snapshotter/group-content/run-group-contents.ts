import { waitForCacheSync } from "@csi-sidecars/controller";
import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";
import { addEventHandlers } from "./event-handlers.ts";
import { groupContentContext } from "./group-content-context.ts";
import { reconcileGroupContent } from "./reconcile-group-content.ts";

/** Takes and deletes the group snapshots of VolumeGroupSnapshotContents until the context's signal aborts. */
export async function runGroupContents(context: SnapshotterComponentContext, snapshotter: SnapshotterContext): Promise<void> {
  const { flags, signal } = context;
  const c = groupContentContext(context, snapshotter);
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return;
  addEventHandlers(c, flags.resyncPeriod);
  await c.controller.run(reconcileGroupContent(c), signal);
}
