import { waitForCacheSync } from "@csi-sidecars/controller";
import { addContentHandlers } from "../content-handlers.ts";
import type { SnapshotterComponentContext } from "../flags.ts";
import type { SnapshotterContext } from "../snapshotter-context.ts";
import { contentContext } from "./content-context.ts";
import { contentRules } from "./content-rules.ts";
import { reconcileContent } from "./reconcile-content.ts";

/** Takes and deletes the snapshots of VolumeSnapshotContents until the context's signal aborts. */
export async function runContents(context: SnapshotterComponentContext, shared: SnapshotterContext): Promise<void> {
  const { flags, signal } = context;
  const c = contentContext(context, shared);
  // The handler of contents looks up their classes: what exists now is given to it when both are known.
  if (!(await waitForCacheSync(Object.values(c.caches), signal))) return;
  addContentHandlers(c, contentRules(c), flags.resyncPeriod);
  await c.controller.run(reconcileContent(c), signal);
}
