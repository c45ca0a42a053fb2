import type { EventReason } from "@csi-sidecars/host";

/** The one event of the validator, about claims, with upstream's reason. */
export const eventReasons = {
  unrecognized: {
    reason: "UnrecognizedDataSourceKind",
    type: "Warning",
    progress: "failed",
    meaning: "no volume populator is registered for the kind of the claim's data source",
  },
} as const satisfies Readonly<Record<string, EventReason>>;
