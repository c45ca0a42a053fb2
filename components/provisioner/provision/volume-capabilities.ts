import type { Result } from "@csi-sidecars/base";
import { AccessMode, type VolumeCapability } from "@csi-sidecars/csi";

/** How a claim wants to use its volume. */
export interface Usage {
  readonly accessModes: readonly string[];
  readonly block: boolean;
  readonly fsType: string;
  readonly mountFlags: readonly string[];
}

/** One capability for each access mode of the claim, in its order. */
export function volumeCapabilities(usage: Usage, driver: { readonly singleNodeMultiWriter: boolean }): Result<readonly VolumeCapability[]> {
  const modes = usage.accessModes.map((mode) => modeFor(mode, driver.singleNodeMultiWriter));
  const unknown = usage.accessModes.find((_, index) => modes[index] === undefined);
  if (unknown !== undefined) return { error: `unsupported AccessMode combination: [${unknown}]` };
  return { value: modes.map((mode) => ({ accessMode: { mode: mode ?? AccessMode.UNKNOWN }, accessType: accessTypeOf(usage) })) };
}

/** Whether the volume may be marked read-only: nobody can ever write to it. */
export function isReadOnly(capabilities: readonly VolumeCapability[]): boolean {
  return capabilities.length === 1 && capabilities[0]?.accessMode?.mode === AccessMode.MULTI_NODE_READER_ONLY;
}

function modeFor(mode: string, tellsWritersApart: boolean): AccessMode | undefined {
  switch (mode) {
    case "ReadWriteOnce":
      return tellsWritersApart ? AccessMode.SINGLE_NODE_MULTI_WRITER : AccessMode.SINGLE_NODE_WRITER;
    case "ReadWriteOncePod":
      return tellsWritersApart ? AccessMode.SINGLE_NODE_SINGLE_WRITER : AccessMode.SINGLE_NODE_WRITER;
    case "ReadOnlyMany":
      return AccessMode.MULTI_NODE_READER_ONLY;
    case "ReadWriteMany":
      return AccessMode.MULTI_NODE_MULTI_WRITER;
    default:
      return undefined;
  }
}

function accessTypeOf({ block, fsType, mountFlags }: Usage): VolumeCapability["accessType"] {
  return block ? { $case: "block", block: {} } : { $case: "mount", mount: { fsType, mountFlags, volumeMountGroup: "" } };
}
