import type { ConditionReason, ConditionReport, VolumeCondition } from "@csi-sidecars/host";

/** The one event of the validator, about claims, with upstream's reason. It does not tell when a populator is there after all. */
export const eventReasons = {
  unrecognized: {
    reason: "UnrecognizedDataSourceKind",
    type: "Warning",
    state: "abnormal",
    meaning: "no VolumePopulator announces the kind of the claim's data source",
    remedy:
      "install the populator for that kind with its VolumePopulator object, or recreate the claim with another data source: spec.dataSourceRef cannot be changed",
  },
} as const satisfies Readonly<Record<string, ConditionReason>>;

/** What the validator watches. */
export const validatorConditions: Readonly<Partial<Record<VolumeCondition, ConditionReport>>> = {
  dataSource: { events: [eventReasons.unrecognized] },
};
