import type { VolumeCapability } from "@csi-sidecars/csi";
import { refuse } from "./refuse.ts";
import type { AccessType } from "./state/records.ts";

/** The one access type that capabilities ask for: mount when they name none. */
export function accessTypeOf(capabilities: readonly VolumeCapability[]): AccessType {
  const block = capabilities.some(({ accessType }) => accessType?.$case === "block");
  const mount = capabilities.some(({ accessType }) => accessType?.$case === "mount");
  if (block && mount) refuse("InvalidArgument", "cannot have both block and mount access type");
  return block ? "block" : "mount";
}
