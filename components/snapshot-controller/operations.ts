import type { OperationReport, VolumeOperation } from "@csi-sidecars/host";
import { eventReasons } from "./event-reasons.ts";
import { groupEventReasons } from "./group-snapshot/group-event-reasons.ts";

const { deletePending, contentNotDeleted, claimFinalizerFailed, ...binding } = eventReasons;
const {
  deletePending: groupDeletePending,
  contentNotDeleted: groupContentNotDeleted,
  memberNotDeleted,
  ...groupBinding
} = groupEventReasons;

/** What the controller is responsible for. */
export const snapshotControllerOperations: Readonly<Partial<Record<VolumeOperation, OperationReport>>> = {
  bindSnapshot: { events: Object.values(binding) },
  unbindSnapshot: { events: [deletePending, contentNotDeleted, claimFinalizerFailed] },
  bindGroupSnapshot: { events: Object.values(groupBinding) },
  unbindGroupSnapshot: { events: [groupDeletePending, groupContentNotDeleted, memberNotDeleted] },
};
