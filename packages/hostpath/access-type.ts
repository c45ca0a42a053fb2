import type { VolumeCapability } from "@csi-sidecars/csi";
import { refuse } from "./refuse.ts";
import type { AccessType, VolumeRecord } from "./state/records.ts";

/** Refuses to use a volume as what it is not; `use` is a verb. A capability without an access type asks for none. */
export function checkAccessType(volume: Pick<VolumeRecord, "accessType">, capability: VolumeCapability | undefined, use: string): void {
  const wanted = capability?.accessType?.$case;
  if (wanted && wanted !== volume.accessType) refuse("InvalidArgument", `cannot ${use} a ${volume.accessType} volume as ${wanted} volume`);
}

/** The one access type that capabilities ask for: mount when they name none. */
export function accessTypeOf(capabilities: readonly VolumeCapability[]): AccessType {
  const block = capabilities.some(({ accessType }) => accessType?.$case === "block");
  const mount = capabilities.some(({ accessType }) => accessType?.$case === "mount");
  if (block && mount) refuse("InvalidArgument", "cannot have both block and mount access type");
  return block ? "block" : "mount";
}
