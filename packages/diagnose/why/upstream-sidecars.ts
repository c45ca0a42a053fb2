import { message } from "@csi-sidecars/base";
import type { Component } from "@csi-sidecars/host";

/**
 * Sidecars that this program does not contain, as upstream ships them: they may run beside it, for the same driver. One that
 * becomes a component of this program declares itself, and leaves this table.
 */
export const upstreamSidecars = [
  {
    name: "resizer",
    legacyLease: (driver) => `external-resizer-${driver}`,
    operations: {
      expand: {
        capability: "EXPAND_VOLUME",
        events: [
          {
            ...{ reason: "Resizing", type: "Normal", progress: "started" },
            meaning: "the driver is expanding the volume",
            remedy: "if it stays so, check the driver's log",
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
            meaning: "the driver is modifying the volume",
            remedy: "if it stays so, check the driver's log",
          },
          { reason: "VolumeModifySuccessful", type: "Normal", progress: "succeeded", meaning: "the volume is modified" },
          { reason: "VolumeModifyFailed", type: "Warning", progress: "failed", meaning: "the volume could not be modified" },
        ],
      },
    },
    remedies: [
      {
        messages: [
          message(
            (claim: string, driver: string) =>
              `Unable to expand ${claim} because CSI driver ${driver} only supports offline expansion and volume is currently in-use`,
          ),
        ],
        remedy: "stop the pods that use the claim until the volume is expanded",
      },
    ],
  },
] satisfies readonly Partial<Component>[];
