/** The events of the health monitor, all about claims, with upstream's reasons and types. */
export const eventReasons = {
  abnormal: { reason: "VolumeConditionAbnormal", type: "Warning" },
  normal: { reason: "VolumeConditionNormal", type: "Normal" },
  nodeFailed: { reason: "NodeFailed", type: "Warning" },
  nodeRecovered: { reason: "NodeRecovered", type: "Warning" },
} as const;
