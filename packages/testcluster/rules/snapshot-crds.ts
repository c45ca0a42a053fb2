import type { JsonObject } from "./json.ts";
import { volumeGroupSnapshotClassDefinition, volumeSnapshotClassDefinition } from "./snapshot-crds/snapshot-classes.ts";
import { volumeGroupSnapshotDefinition } from "./snapshot-crds/volume-group-snapshot.ts";
import { volumeGroupSnapshotContentDefinition } from "./snapshot-crds/volume-group-snapshot-content.ts";
import { volumeSnapshotDefinition } from "./snapshot-crds/volume-snapshot.ts";
import { volumeSnapshotContentDefinition } from "./snapshot-crds/volume-snapshot-content.ts";

/** The CustomResourceDefinitions of snapshots and group snapshots, for the embedded and for a real API server. */
export const snapshotDefinitions: readonly JsonObject[] = [
  volumeSnapshotDefinition,
  volumeSnapshotContentDefinition,
  volumeSnapshotClassDefinition,
  volumeGroupSnapshotDefinition,
  volumeGroupSnapshotContentDefinition,
  volumeGroupSnapshotClassDefinition,
];
