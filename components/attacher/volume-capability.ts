import type { Result } from "@csi-sidecars/base";
import { chooseAccessMode, type VolumeCapability } from "@csi-sidecars/csi";
import type { VolumeSource } from "./volume-source.ts";

/** How the volume will be used, as a driver is told. `defaultFsType` is for volumes that name no file system. */
export function volumeCapabilityOf(
  { accessModes, mountOptions, block, csi }: Pick<VolumeSource, "accessModes" | "mountOptions" | "block" | "csi">,
  options: { readonly defaultFsType: string; readonly singleNodeMultiWriter: boolean },
): Result<VolumeCapability> {
  const { mode, error } = chooseAccessMode(accessModes, options);
  if (error !== undefined) return { error };
  const accessMode = { mode };
  if (block) return { value: { accessMode, accessType: { $case: "block", block: {} } } };
  const mount = { fsType: csi.fsType || options.defaultFsType, mountFlags: mountOptions, volumeMountGroup: "" };
  return { value: { accessMode, accessType: { $case: "mount", mount } } };
}
