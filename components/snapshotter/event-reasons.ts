import type { EventReason, OperationReport, VolumeOperation } from "@csi-sidecars/host";

/** The events of the snapshotter, with upstream's reasons. All are warnings. */
export const eventReasons = {
  createFailed: { reason: "SnapshotCreationFailed", type: "Warning", progress: "failed", meaning: "the snapshot could not be taken" },
  checkFailed: {
    reason: "SnapshotContentCheckandUpdateFailed",
    type: "Warning",
    progress: "failed",
    meaning: "the snapshot could not be taken, or its state is not known",
  },
  deleteFailed: { reason: "SnapshotDeleteError", type: "Warning", progress: "failed", meaning: "the snapshot could not be deleted" },
  groupCreateFailed: {
    reason: "GroupSnapshotCreationFailed",
    type: "Warning",
    progress: "failed",
    meaning: "the group snapshot could not be taken",
  },
  groupCheckFailed: {
    reason: "GroupSnapshotContentCheckandUpdateFailed",
    type: "Warning",
    progress: "failed",
    meaning: "the group snapshot could not be taken, or its state is not known",
  },
  groupDeleteFailed: {
    reason: "GroupSnapshotDeleteError",
    type: "Warning",
    progress: "failed",
    meaning: "the group snapshot could not be deleted",
  },
} as const satisfies Readonly<Record<string, EventReason>>;

const { createFailed, checkFailed, deleteFailed, groupCreateFailed, groupCheckFailed, groupDeleteFailed } = eventReasons;
const forGroups = "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT";

/** What the snapshotter is responsible for. */
export const snapshotterOperations: Readonly<Partial<Record<VolumeOperation, OperationReport>>> = {
  snapshot: { capability: "CREATE_DELETE_SNAPSHOT", events: [createFailed, checkFailed] },
  deleteSnapshot: { capability: "CREATE_DELETE_SNAPSHOT", events: [deleteFailed] },
  groupSnapshot: { capability: forGroups, events: [groupCreateFailed, groupCheckFailed] },
  deleteGroupSnapshot: { capability: forGroups, events: [groupDeleteFailed] },
};
