import { message } from "@csi-sidecars/base";
import { responsibleAmong, type Sidecar } from "../responsible-sidecar.ts";

export const secretUnreadable = message((name: string, cause: string) => `error getting secret ${name}: ${cause}`);
export const infeasible = message((cause: string) => `Retries will be delayed. ${cause}`);
export const stillAttached = message((node: string) => `still attached to node ${node}`);

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
];

export const responsibleFor = responsibleAmong(sidecars);
