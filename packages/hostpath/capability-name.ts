import { VolumeCapability_AccessMode_Mode as Mode, type VolumeCapability } from "@csi-sidecars/csi";

/**
 * How a volume is used, in a few words that can be remembered and compared: `mount SINGLE_NODE_WRITER ext4`. Mount flags are
 * left out, for they may be secret, and so is the group, which is a pod's and not the volume's.
 */
export function capabilityName({ accessMode, accessType }: VolumeCapability): string {
  const words = [
    accessType?.$case ?? "",
    modeNames.get(accessMode?.mode ?? Mode.UNKNOWN) ?? "",
    accessType?.$case === "mount" ? accessType.mount.fsType : "",
  ];
  return words.filter((word) => word !== "").join(" ");
}

const modeNames = new Map<number, string>(Object.entries(Mode).map(([name, number]) => [number, name]));

/** Whether a use that is known and one that is asked for go together; of what an older state file tells nothing is known. */
export const isSameUse = (known: string, asked: string): boolean => known === "" || known === asked;
