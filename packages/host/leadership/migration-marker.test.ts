import { expect, test } from "bun:test";
import { migratedAnnotation, migrationMarker, statusAnnotation, unmigrated, withdrawnMarker } from "./migration-marker.ts";
import { legacyLeases } from "./testing/leadership-world.ts";

const leaseWith = (status: string, controllers?: string) => ({
  metadata: { annotations: { [statusAnnotation]: status, ...(controllers !== undefined && { [migratedAnnotation]: controllers }) } },
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

test.each<[string, object, string[], ReturnType<typeof leaseWith> | undefined]>([
  ["no annotations", {}, ["attacher"], undefined],
  ["completed for others", leaseWith("completed", "snapshotter"), ["attacher"], undefined],
  ["nobody is back", leaseWith("completed", "attacher,resizer"), [], undefined],
  ["withdrawn before", leaseWith("withdrawn", ""), ["attacher"], undefined],
  ["one of several is back", leaseWith("completed", "snapshotter,attacher"), ["attacher"], leaseWith("completed", "snapshotter")],
  ["one of all is back", leaseWith("completed"), ["attacher"], leaseWith("completed", "resizer")],
  ["the last one is back", leaseWith("completed", "attacher"), ["attacher"], leaseWith("withdrawn", "")],
])("withdrawn: %s", (_, lease, back, after) => {
  const annotations = withdrawnMarker(lease, ["resizer", "attacher"], back);
  expect(annotations).toEqual(after?.metadata.annotations);
});
