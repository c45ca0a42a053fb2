import type { ValidateVolumeCapabilitiesRequest } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { refuse, required } from "../refuse.ts";

/** ValidateVolumeCapabilities: a volume can be used as what it was created for. */
export function validateVolumeCapabilities(backend: Backend, request: ValidateVolumeCapabilitiesRequest) {
  required({ volume_id: request.volumeId });
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
