/**
 * A state of a claim or its volume that a component watches while nothing is done to the volume: what the driver says of it
 * (`volumeHealth`), whether the nodes of its pods work (`nodeHealth`), whether somebody can fill it from its data source (`dataSource`).
 * Each is the work of one component.
 */
export type VolumeCondition = "volumeHealth" | "nodeHealth" | "dataSource";

/** What a component says about a condition that it watches. `csi-sidecars why` reads it. */
export interface ConditionReport {
  /** The events that it emits about the claim. The newest tells the present state. */
  readonly events: readonly ConditionReason[];
}

/** An event that says that a condition has begun or ended, and what it means to the owner of the volume. */
export interface ConditionReason {
  readonly reason: string;
  readonly type: "Normal" | "Warning";
  readonly state: "abnormal" | "normal";
  /** In plain words, without a full stop. */
  readonly meaning: string;
  /** What to do about an abnormal one. */
  readonly remedy?: string;
  /** In the message: which one it is about, where a claim may have the condition more than once, as one for each node. */
  subjectIn?(message: string): string | undefined;
}
