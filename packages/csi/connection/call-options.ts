import type { Logger } from "@csi-sidecars/base";
import type { CallOptions } from "../grpc/client-call.ts";

/** What a caller may say about one call to a CSI driver. */
export interface DriverCallOptions extends CallOptions {
  /** Whether the call serves a volume of the in-tree plugin that this driver replaced: a label of its metric. */
  readonly migrated?: boolean;
  /** Values of varying metric labels. */
  readonly metricLabels?: Readonly<Record<string, string>>;
  /** Whose log the call's lines belong to; the connection's own when not given. */
  readonly log?: Logger;
}
