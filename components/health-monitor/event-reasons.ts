import type { ConditionReason, ConditionReport, VolumeCondition } from "@csi-sidecars/host";
import { failedNodeIn, recoveredNodeIn } from "./messages.ts";

/** The events of the health monitor, all about claims, with upstream's reasons and types; upstream does not miss volumes. */
export const eventReasons = {
  abnormal: {
    reason: "VolumeConditionAbnormal",
    type: "Warning",
    state: "abnormal",
    meaning: "the driver reports that the volume is abnormal",
    remedy:
      "see the driver's log and its storage for what the message says; if data is lost, stop the pods that use the claim and restore it from a snapshot or a backup",
  },
  normal: {
    reason: "VolumeConditionNormal",
    type: "Normal",
    state: "normal",
    meaning: "the driver reports that the volume is healthy again",
  },
  missing: {
    reason: "VolumeMissing",
    type: "Warning",
    state: "abnormal",
    meaning: "the driver does not list the volume any more",
    remedy:
      "look for the volume in the storage (csi-sidecars audit compares all of them); if it is gone, restore the claim from a snapshot or a backup",
  },
  nodeFailed: {
    reason: "NodeFailed",
    type: "Warning",
    state: "abnormal",
    meaning: "pods use the volume on a node that has failed",
    remedy:
      "bring the node back; if it is gone for good, delete it or taint it with node.kubernetes.io/out-of-service, so that its pods are replaced and the volume is detached",
    subjectIn: failedNodeIn,
  },
  nodeRecovered: {
    reason: "NodeRecovered",
    type: "Warning",
    state: "normal",
    meaning: "the node works again",
    subjectIn: recoveredNodeIn,
  },
} as const satisfies Readonly<Record<string, ConditionReason>>;

/** How an event about a claim is found. */
export type HealthEventReason = Pick<ConditionReason, "reason" | "type">;

const { abnormal, normal, missing, nodeFailed, nodeRecovered } = eventReasons;

/** What the health monitor watches. */
export const healthMonitorConditions: Readonly<Partial<Record<VolumeCondition, ConditionReport>>> = {
  volumeHealth: { events: [abnormal, missing, normal] },
  nodeHealth: { events: [nodeFailed, nodeRecovered] },
};
