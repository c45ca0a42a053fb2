import type { EventReason } from "@csi-sidecars/host";

const failed = { type: "Warning", progress: "failed" } as const;
const stays = "if it stays so, check the log and the events of the driver's csi-snapshotter";

/** The events about group snapshots and their contents, with upstream's reasons. */
export const groupEventReasons = {
  creating: {
    reason: "CreatingGroupSnapshot",
    type: "Normal",
    progress: "started",
    meaning: "the driver is to take the group snapshot",
    remedy: stays,
  },
  created: { reason: "GroupSnapshotCreated", type: "Normal", progress: "succeeded", meaning: "the driver has taken the group snapshot" },
  ready: { reason: "GroupSnapshotReady", type: "Normal", progress: "succeeded", meaning: "the snapshots of the group can be restored" },
  classUnknown: { reason: "GetGroupSnapshotClassFailed", ...failed, meaning: "the class of the group snapshot does not exist" },
  defaultClassUnknown: {
    reason: "SetDefaultGroupSnapshotClassFailed",
    ...failed,
    meaning: "the group snapshot names no class, and has no default",
  },
  invalid: { reason: "GroupSnapshotValidationError", ...failed, meaning: "the group snapshot does not name one source" },
  finalizersFailed: { reason: "GroupSnapshotFinalizerError", ...failed, meaning: "the group snapshot could not be protected" },
  contentMissing: { reason: "GroupSnapshotContentMissing", ...failed, meaning: "the content of the group snapshot does not exist" },
  misbound: { reason: "GroupSnapshotMisbound", ...failed, meaning: "the content of the group snapshot is not bound to it" },
  bindFailed: { reason: "GroupSnapshotBindFailed", ...failed, meaning: "the content could not be bound to the group snapshot" },
  statusUpdateFailed: {
    reason: "GroupSnapshotStatusUpdateFailed",
    ...failed,
    meaning: "the status of the group snapshot could not be written",
  },
  contentCreationFailed: { reason: "GroupSnapshotContentCreationFailed", ...failed, meaning: "the group snapshot cannot be taken" },
  contentMismatch: {
    reason: "GroupSnapshotContentMismatch",
    ...failed,
    meaning: "the content is of the other kind: dynamic or pre-provisioned",
  },
  contentMisbound: { reason: "GroupSnapshotContentMisbound", ...failed, meaning: "the content belongs to another group snapshot" },
  postFailed: { reason: "CreateGroupSnapshotContentFailed", ...failed, meaning: "the content of the group could not be created" },
  noNode: { reason: "GroupSnapshotNodeMissing", ...failed, meaning: "no node can access all volumes of the group" },
  deletePending: { reason: "SnapshotDeletePending", ...failed, meaning: "the group snapshot cannot be deleted yet" },
  contentNotDeleted: {
    reason: "GroupSnapshotContentObjectDeleteError",
    ...failed,
    meaning: "the content of the group could not be deleted",
  },
  memberNotDeleted: { reason: "SnapshotDeleteError", ...failed, meaning: "a snapshot of the group could not be deleted" },
  groupMissing: { reason: "GroupSnapshotMissing", ...failed, meaning: "the group snapshot of the content does not exist" },
  contentInvalid: { reason: "GroupContentValidationError", ...failed, meaning: "the content does not name one source" },
} as const satisfies Readonly<Record<string, EventReason>>;
