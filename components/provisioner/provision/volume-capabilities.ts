import type { Result } from "@csi-sidecars/base";
import { AccessMode, type VolumeCapability } from "@csi-sidecars/csi";
import type { Claim, Class } from "../fields.ts";
import { fsTypeOf } from "./class-parameters.ts";

/** How a volume will be used. */
export interface VolumeUsage {
  readonly fsType: string;
  readonly capabilities: readonly VolumeCapability[];
}

/** What the claim's modes and the class's options ask of the volume: one capability for each access mode of the claim, in its order. */
export function volumeCapabilities(
  { spec }: Pick<Claim, "spec">,
  storageClass: Pick<Class, "parameters" | "mountOptions">,
  driver: { readonly defaultFsType: string; readonly singleNodeMultiWriter: boolean },
): Result<VolumeUsage> {
  const fsType = fsTypeOf(storageClass.parameters ?? {}, driver.defaultFsType);
  if (fsType.error !== undefined) return fsType;
  const { accessModes = [], volumeMode } = spec ?? {};
  const modes = accessModes.map((mode) => modeFor(mode, driver.singleNodeMultiWriter));
  const unknown = accessModes.find((_, index) => modes[index] === undefined);
  if (unknown !== undefined) return { error: `unsupported AccessMode combination: [${unknown}]` };
  const mountFlags = storageClass.mountOptions ?? [];
  const accessType: VolumeCapability["accessType"] =
    volumeMode === "Block"
      ? { $case: "block", block: {} }
      : { $case: "mount", mount: { fsType: fsType.value, mountFlags, volumeMountGroup: "" } };
  const capabilities = modes.map((mode) => ({ accessMode: { mode: mode ?? AccessMode.UNKNOWN }, accessType }));
  return { value: { fsType: fsType.value, capabilities } };
}

/** Whether the volume may be marked read-only: no node can ever write to it. */
export function isReadOnly(capabilities: readonly VolumeCapability[]): boolean {
  return capabilities.length === 1 && capabilities[0]?.accessMode?.mode === AccessMode.MULTI_NODE_READER_ONLY;
}

function modeFor(mode: string, singleNodeMultiWriter: boolean): AccessMode | undefined {
  switch (mode) {
    case "ReadWriteOnce":
      return singleNodeMultiWriter ? AccessMode.SINGLE_NODE_MULTI_WRITER : AccessMode.SINGLE_NODE_WRITER;
    case "ReadWriteOncePod":
      return singleNodeMultiWriter ? AccessMode.SINGLE_NODE_SINGLE_WRITER : AccessMode.SINGLE_NODE_WRITER;
    case "ReadOnlyMany":
      return AccessMode.MULTI_NODE_READER_ONLY;
    case "ReadWriteMany":
      return AccessMode.MULTI_NODE_MULTI_WRITER;
    default:
      return undefined;
  }
}
