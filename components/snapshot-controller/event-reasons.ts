import type { EventReason } from "@csi-sidecars/host";

const failed = { type: "Warning", progress: "failed" } as const;
const stays = "if it stays so, check the log and the events of the driver's csi-snapshotter";

/** The events about single snapshots and their contents, with upstream's reasons. */
export const eventReasons = {
  creating: {
    reason: "CreatingSnapshot",
    type: "Normal",
    progress: "started",
    meaning: "the driver is to take the snapshot",
    remedy: stays,
  },
  created: { reason: "SnapshotCreated", type: "Normal", progress: "succeeded", meaning: "the driver has taken the snapshot" },
  ready: { reason: "SnapshotReady", type: "Normal", progress: "succeeded", meaning: "the snapshot can be restored" },
  classUnknown: { reason: "GetSnapshotClassFailed", ...failed, meaning: "the class of the snapshot does not exist" },
  defaultClassUnknown: { reason: "SetDefaultSnapshotClassFailed", ...failed, meaning: "the snapshot names no class, and has no default" },
  invalid: { reason: "SnapshotValidationError", ...failed, meaning: "the snapshot does not name one source" },
  finalizersFailed: { reason: "SnapshotFinalizerError", ...failed, meaning: "the snapshot could not be protected" },
  claimFinalizerFailed: { reason: "ErrorPVCFinalizer", ...failed, meaning: "the claim is still protected" },
  deletePending: { reason: "SnapshotDeletePending", ...failed, meaning: "the snapshot cannot be deleted yet" },
  contentNotDeleted: { reason: "SnapshotContentObjectDeleteError", ...failed, meaning: "the content could not be deleted" },
  contentMissing: { reason: "SnapshotContentMissing", ...failed, meaning: "the content of the snapshot does not exist" },
  misbound: { reason: "SnapshotMisbound", ...failed, meaning: "the content of the snapshot is not bound to it" },
  bindFailed: { reason: "SnapshotBindFailed", ...failed, meaning: "the content could not be bound to the snapshot" },
  statusUpdateFailed: { reason: "SnapshotStatusUpdateFailed", ...failed, meaning: "the status of the snapshot could not be written" },
  contentCreationFailed: { reason: "SnapshotContentCreationFailed", ...failed, meaning: "the snapshot cannot be taken" },
  contentMismatch: {
    reason: "SnapshotContentMismatch",
    ...failed,
    meaning: "the content is of the other kind: dynamic or pre-provisioned",
  },
  contentMisbound: { reason: "SnapshotContentMisbound", ...failed, meaning: "the content belongs to another snapshot" },
  postFailed: { reason: "CreateSnapshotContentFailed", ...failed, meaning: "the content could not be created" },
  noNode: { reason: "SnapshotNodeMissing", ...failed, meaning: "the volume is not accessible from any node" },
  snapshotMissing: { reason: "SnapshotMissing", ...failed, meaning: "the snapshot of the content does not exist" },
  contentInvalid: { reason: "ContentValidationError", ...failed, meaning: "the content does not name one source" },
} as const satisfies Readonly<Record<string, EventReason>>;
