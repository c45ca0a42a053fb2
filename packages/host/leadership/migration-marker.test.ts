import { expect, test } from "bun:test";
import { migratedAnnotation, migrationMarker, statusAnnotation, unmigrated } from "./migration-marker.ts";
import { legacyLeases } from "./testing/leadership-world.ts";

const leaseWith = (status?: string, controllers?: string) => ({
  metadata: {
    annotations: { ...(status && { [statusAnnotation]: status }), ...(controllers !== undefined && { [migratedAnnotation]: controllers }) },
  },
});

test.each<[string, object, string[], string]>([
  ["no annotations", {}, ["attacher", "resizer"], "attacher,resizer"],
  ["completed for all", leaseWith("completed"), [], "attacher,resizer"],
  ["completed for an empty list, as if there were none", leaseWith("completed", ""), [], "attacher,resizer"],
  ["completed for these", leaseWith("completed", "attacher,resizer"), [], "attacher,resizer"],
  ["completed for one", leaseWith("completed", "attacher"), ["resizer"], "attacher,resizer"],
  ["completed for others, with spaces", leaseWith("completed", "snapshotter, attacher "), ["resizer"], "attacher,resizer,snapshotter"],
  ["another status", leaseWith("started", "attacher,snapshotter"), ["attacher", "resizer"], "attacher,resizer"],
])("marker: %s", (_, lease, todo, after) => {
  expect(unmigrated(lease, legacyLeases).map(({ controller }) => controller)).toEqual(todo);
  expect(migrationMarker(lease, ["resizer", "attacher"])).toEqual({ [statusAnnotation]: "completed", [migratedAnnotation]: after });
});
