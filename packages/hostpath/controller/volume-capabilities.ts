import { VolumeCapability_AccessMode_Mode as Mode, type ValidateVolumeCapabilitiesRequest, type VolumeCapability } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { refuse, requireFields } from "../refuse.ts";
import type { AccessType, VolumeRecord } from "../state/records.ts";

/** ValidateVolumeCapabilities: confirms the access type that a volume was created with. */
export function validateVolumeCapabilities(backend: Backend, request: ValidateVolumeCapabilitiesRequest) {
  requireFields({ volume_id: request.volumeId });
  if (request.volumeCapabilities.length === 0) refuse("InvalidArgument", "volume_capabilities missing in request");
  const volume = volumeById(backend, request.volumeId);
  for (const { accessType } of request.volumeCapabilities) {
    if (!accessType) refuse("InvalidArgument", "cannot have both mount and block access type be undefined");
    if (accessType.$case !== volume.accessType)
      return { message: `volume ${volume.id} has access type ${volume.accessType}, not ${accessType.$case}` };
  }
  const { volumeContext, volumeCapabilities, parameters, mutableParameters } = request;
  return { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters } };
}

/** Refuses a block volume as mount volume and vice versa; `use` is the verb of the message. No access type means any. */
export function checkAccessType(volume: Pick<VolumeRecord, "accessType">, capability: VolumeCapability | undefined, use: string): void {
  const wanted = capability?.accessType?.$case;
  if (wanted && wanted !== volume.accessType) refuse("InvalidArgument", `cannot ${use} a ${volume.accessType} volume as ${wanted} volume`);
}

/** The access type that capabilities ask for; mount if they name none. */
export function accessTypeOf(capabilities: readonly VolumeCapability[]): AccessType {
  const block = capabilities.some(({ accessType }) => accessType?.$case === "block");
  const mount = capabilities.some(({ accessType }) => accessType?.$case === "mount");
  if (block && mount) refuse("InvalidArgument", "cannot have both block and mount access type");
  return block ? "block" : "mount";
}

/**
 * A capability as text that is stored and compared: `mount SINGLE_NODE_WRITER ext4`. Mount flags are left out because they may be
 * secret, the mount group because it belongs to a pod and not to the volume.
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

/** Whether a request repeats a stored capability; older state files do not have it, then any matches. */
export const isSameCapability = (stored: string, requested: string): boolean => stored === "" || stored === requested;
