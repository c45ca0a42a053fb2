import type { CustomResourceDefinition } from "../definition.ts";
import { volumeGroupSnapshotClassDefinition, volumeSnapshotClassDefinition } from "./snapshot-classes.ts";
import { volumeGroupSnapshotDefinition } from "./volume-group-snapshot.ts";
import { volumeGroupSnapshotContentDefinition } from "./volume-group-snapshot-content.ts";
import { volumeSnapshotDefinition } from "./volume-snapshot.ts";
import { volumeSnapshotContentDefinition } from "./volume-snapshot-content.ts";

/**
 * The six kinds of snapshots and group snapshots: the API of Kubernetes' external-snapshotter, field by field. Controllers and users of
 * either program can share a cluster.
 */
export const snapshotDefinitions: readonly CustomResourceDefinition[] = [
  volumeSnapshotDefinition,
  volumeSnapshotContentDefinition,
  volumeSnapshotClassDefinition,
  volumeGroupSnapshotDefinition,
  volumeGroupSnapshotContentDefinition,
  volumeGroupSnapshotClassDefinition,
];
