import type { Volume } from "../fields.ts";
import type { Result } from "../result.ts";

/** The part of a CSI volume that attaching needs. */
export interface CsiVolume {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly fsType?: string;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
  readonly controllerPublishSecretRef?: { readonly name?: string; readonly namespace?: string };
}

/** What an in-tree volume is to the CSI driver that took over. */
export interface Translated {
  readonly csi: Omit<CsiVolume, "driver">;
  /** Only where the volume's own access modes do not hold. */
  readonly accessModes?: readonly string[];
}

/** One row of the table of in-tree plugins that were replaced by CSI drivers. */
export interface InTreePlugin {
  readonly driver: string;
  /** The volume in CSI terms, why there are none, or `undefined` for a volume of another plugin. */
  translate(volume: Volume): Result<Translated> | undefined;
  /** The handle as the driver lists it, where that differs from the translated one. */
  repairHandle?(handle: string, nodeId: string): Result<string>;
}
