import type { Result } from "@csi-sidecars/base";
import { chooseAccessMode } from "./access-mode.ts";
import type { VolumeCapability } from "./gen/csi.ts";

/** How a volume that exists is used, in the words of Kubernetes. */
export interface VolumeUsage {
  readonly accessModes: readonly string[];
  readonly mountOptions: readonly string[];
  readonly block: boolean;
  readonly fsType: string;
}

/** The same as the driver is told. */
export function volumeCapability(
  { accessModes, mountOptions, block, fsType }: VolumeUsage,
  driver: { readonly singleNodeMultiWriter: boolean },
): Result<VolumeCapability> {
  const { mode, error } = chooseAccessMode(accessModes, driver);
  if (error !== undefined) return { error };
  const accessMode = { mode };
  if (block) return { value: { accessMode, accessType: { $case: "block", block: {} } } };
  return { value: { accessMode, accessType: { $case: "mount", mount: { fsType, mountFlags: mountOptions, volumeMountGroup: "" } } } };
}
