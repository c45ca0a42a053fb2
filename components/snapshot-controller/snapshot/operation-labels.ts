import type { SnapshotControllerContext } from "../controller-context.ts";
import type { Snapshot } from "../fields.ts";
import type { OperationLabels } from "../operation-metrics.ts";
import { contentNameOf, isPreProvisioned } from "./binding.ts";

/** How the operations of a snapshot are labelled: the driver is that of its content, or else of its class. */
export function operationLabels(
  { contents, caches }: Pick<SnapshotControllerContext, "contents" | "caches">,
  snapshot: Snapshot,
): OperationLabels {
  const content = contents.get(contentNameOf(snapshot) ?? "");
  const driver = content?.spec?.driver ?? caches.classes.get(snapshot.spec?.volumeSnapshotClassName ?? "")?.driver;
  return { driver, type: isPreProvisioned(snapshot) ? "pre-provisioned" : "dynamic" };
}
