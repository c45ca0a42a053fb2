import { message } from "@csi-sidecars/base";
import { reportsAmong, responsibleAmong, type Sidecar } from "../responsible-sidecar.ts";

export const secretUnreadable = message((name: string, cause: string) => `error getting secret ${name}: ${cause}`);
export const infeasible = message((cause: string) => `Retries will be delayed. ${cause}`);
export const stillAttached = message((node: string) => `still attached to node ${node}`);

export const nodeFailed = message((node: string) => `pods are now on a failed node: ${node}`);
export const nodeRecovered = message((node: string) => `Node: ${node} recovered`);

export const noSuchSnapshot = message((id: string) => `can not find snapshot ${id}`);
export const wrongClass = message((driver: string) => `the class is one of driver ${driver}`);

const failed = { type: "Warning", progress: "failed" } as const;

/** Sidecars as components declare them, with the reasons that storage engineers know. */
export const sidecars: readonly Sidecar[] = [
  {
    name: "provisioner",
    legacyLease: (driver) => driver,
    operations: {
      create: {
        capability: "CREATE_DELETE_VOLUME",
        events: [
          {
            reason: "Provisioning",
            type: "Normal",
            progress: "started",
            meaning: "the driver is creating the volume",
            remedy: "be patient",
          },
          { reason: "ProvisioningSucceeded", type: "Normal", progress: "succeeded", meaning: "the volume is created" },
          { reason: "ProvisioningFailed", type: "Warning", progress: "failed", meaning: "the volume could not be created" },
        ],
        infeasible,
      },
      delete: {
        capability: "CREATE_DELETE_VOLUME",
        events: [{ reason: "VolumeFailedDelete", type: "Warning", progress: "failed", meaning: "the volume could not be deleted" }],
        stillAttached,
      },
    },
    remedies: [{ messages: [secretUnreadable], remedy: "create that secret" }],
  },
  {
    name: "attacher",
    legacyLease: (driver) => `external-attacher-leader-${driver}`,
    operations: { attach: { events: [] }, detach: { events: [] } },
    remedies: [{ messages: [secretUnreadable], remedy: "correct the reference to that secret" }],
  },
  {
    name: "resizer",
    legacyLease: (driver) => `external-resizer-${driver}`,
    operations: {
      expand: {
        capability: "EXPAND_VOLUME",
        events: [
          {
            ...{ reason: "Resizing", type: "Normal", progress: "started" },
            ...{ meaning: "the driver is expanding the volume", remedy: "be patient" },
          },
          { reason: "VolumeResizeSuccessful", type: "Normal", progress: "succeeded", meaning: "the volume is expanded" },
          { reason: "VolumeResizeFailed", type: "Warning", progress: "failed", meaning: "the volume could not be expanded" },
        ],
      },
      modify: {
        capability: "MODIFY_VOLUME",
        events: [
          {
            ...{ reason: "VolumeModify", type: "Normal", progress: "started" },
            ...{ meaning: "the driver is modifying the volume", remedy: "be patient" },
          },
          { reason: "VolumeModifySuccessful", type: "Normal", progress: "succeeded", meaning: "the volume is modified" },
          { reason: "VolumeModifyFailed", type: "Warning", progress: "failed", meaning: "the volume could not be modified" },
        ],
      },
    },
  },
  {
    name: "snapshotter",
    legacyLease: (driver) => `external-snapshotter-leader-${driver}`,
    operations: {
      snapshot: {
        capability: "CREATE_DELETE_SNAPSHOT",
        events: [{ reason: "SnapshotCreationFailed", ...failed, meaning: "the snapshot could not be taken" }],
      },
      deleteSnapshot: { events: [{ reason: "SnapshotDeleteError", ...failed, meaning: "the snapshot could not be deleted" }] },
      groupSnapshot: { events: [{ reason: "GroupSnapshotCreationFailed", ...failed, meaning: "the group snapshot could not be taken" }] },
      deleteGroupSnapshot: {
        events: [{ reason: "GroupSnapshotDeleteError", ...failed, meaning: "the group snapshot could not be deleted" }],
      },
    },
    remedies: [{ messages: [noSuchSnapshot], remedy: "check the handles" }],
  },
  {
    name: "snapshot-controller",
    legacyLease: () => "snapshot-controller-leader",
    operations: {
      bindSnapshot: { events: [{ reason: "SnapshotContentCreationFailed", ...failed, meaning: "the snapshot cannot be taken" }] },
      unbindSnapshot: { events: [{ reason: "SnapshotDeletePending", ...failed, meaning: "the snapshot cannot be deleted yet" }] },
      bindGroupSnapshot: { events: [] },
      unbindGroupSnapshot: { events: [] },
    },
    remedies: [{ messages: [wrongClass], remedy: "use a class of the volume's own driver" }],
  },
  {
    name: "health-monitor",
    legacyLease: (driver) => `external-health-monitor-leader-${driver}`,
    conditions: {
      volumeHealth: {
        events: [
          {
            ...{ reason: "VolumeConditionAbnormal", type: "Warning", state: "abnormal" },
            ...{ meaning: "the driver reports that the volume is abnormal", remedy: "see the driver's log" },
          },
          { reason: "VolumeConditionNormal", type: "Normal", state: "normal", meaning: "the volume is healthy again" },
        ],
      },
      nodeHealth: {
        events: [
          {
            ...{ reason: "NodeFailed", type: "Warning", state: "abnormal" },
            ...{ meaning: "pods use the volume on a node that has failed", remedy: "bring the node back" },
            subjectIn: (text) => nodeFailed.partsIn(text)?.[0],
          },
          {
            ...{ reason: "NodeRecovered", type: "Warning", state: "normal", meaning: "the node works again" },
            subjectIn: (text) => nodeRecovered.partsIn(text)?.[0],
          },
        ],
      },
    },
  },
  {
    name: "volume-data-source-validator",
    legacyLease: () => "data-source-validator-leader",
    conditions: {
      dataSource: {
        events: [
          {
            reason: "UnrecognizedDataSourceKind",
            type: "Warning",
            state: "abnormal",
            meaning: "no populator is known for the data source",
            remedy: "install the populator",
          },
        ],
      },
    },
  },
];

export const responsibleFor = responsibleAmong(sidecars);
export const reportOn = reportsAmong(sidecars);
