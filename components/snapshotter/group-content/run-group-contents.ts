import { waitForCacheSync } from "@csi-sidecars/controller";
import { addContentHandlers } from "../content-handlers.ts";
import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";
import { groupContentContext } from "./group-content-context.ts";
import { groupContentRules } from "./group-content-rules.ts";
import { reconcileGroupContent } from "./reconcile-group-content.ts";

/** Takes and deletes the group snapshots of VolumeGroupSnapshotContents until the context's signal aborts. */
export async function runGroupContents(context: SnapshotterComponentContext, snapshotter: SnapshotterContext): Promise<void> {
  const { flags, signal } = context;
  const c = groupContentContext(context, snapshotter);
  // The handler of contents looks up their classes: what exists now is given to it when both are known.
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return;
  addContentHandlers(c, groupContentRules(c), flags.resyncPeriod);
  await c.controller.run(reconcileGroupContent(c), signal);
}
