/** The events of the health monitor, all about claims, with upstream's reasons and types; upstream does not miss volumes. */
export const eventReasons = {
  abnormal: { reason: "VolumeConditionAbnormal", type: "Warning" },
  normal: { reason: "VolumeConditionNormal", type: "Normal" },
  missing: { reason: "VolumeMissing", type: "Warning" },
  nodeFailed: { reason: "NodeFailed", type: "Warning" },
  nodeRecovered: { reason: "NodeRecovered", type: "Warning" },
} as const;

/** How an event about a claim is found. */
export interface HealthEventReason {
  readonly reason: string;
  readonly type: "Normal" | "Warning";
}
