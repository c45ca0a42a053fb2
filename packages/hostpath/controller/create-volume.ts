import type { CreateVolumeRequest } from "@csi-sidecars/csi";
import { type Backend, commitWith, sameMap } from "../backend.ts";
import { volumeNameLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import type { Settings } from "../settings.ts";
import { unusedVolume, type VolumeRecord } from "../state/records.ts";
import { chooseZone, isWithin, volumeTopology } from "../topology.ts";
import { requestedSize, reserveSpace } from "./capacity.ts";
import { contentSourceOf, findContent, parentsOf, sourceLocks } from "./content-source.ts";
import { checkMutableParameters } from "./modify-volume.ts";
import { accessTypeOf } from "./volume-capabilities.ts";

/** CreateVolume: the same name gives the same volume. */
export async function createVolume(backend: Backend, request: CreateVolumeRequest) {
  const { settings, locks } = backend;
  if (Object.keys(request.mutableParameters).length > 0) {
    if (!settings.modify) refuse("InvalidArgument", "mutable_parameters need the capability MODIFY_VOLUME");
    checkMutableParameters(settings, request.mutableParameters);
  }
  requireFields({ name: request.name });
  if (request.volumeCapabilities.length === 0) refuse("InvalidArgument", "volume_capabilities missing in request");
  accessTypeOf(request.volumeCapabilities);
  requestedSize(request.capacityRange);
  return locks.run([volumeNameLock(request.name), ...sourceLocks(request.volumeContentSource)], async () => {
    const existing = backend.state.volumes.named(request.name);
    if (existing) checkCompatible(backend.settings, existing, request);
    return { volume: volumeResponse(backend, existing ?? (await create(backend, request))) };
  });
}

function checkCompatible(settings: Settings, volume: VolumeRecord, request: CreateVolumeRequest): void {
  const { required: least, limit } = requestedSize(request.capacityRange);
  const parents = parentsOf(request.volumeContentSource);
  const fits = volume.size >= least && (limit === 0n || volume.size <= limit);
  const difference = !fits
    ? "size"
    : volume.accessType !== accessTypeOf(request.volumeCapabilities)
      ? "access type"
      : !sameMap(volume.parameters, request.parameters)
        ? "parameters"
        : volume.parentSnapshotId !== parents.parentSnapshotId || volume.parentVolumeId !== parents.parentVolumeId
          ? "content source"
          : !isWithin(settings, volume, request.accessibilityRequirements)
            ? "topology"
            : undefined;
  if (difference) refuse("AlreadyExists", `Volume with the same name: ${request.name} but with different ${difference} already exist`);
}

async function create(backend: Backend, request: CreateVolumeRequest): Promise<VolumeRecord> {
  const { settings, data } = backend;
  const accessType = accessTypeOf(request.volumeCapabilities);
  const asked = requestedSize(request.capacityRange).size;
  checkMaximum(settings.maxVolumeSize, asked);
  const { content, size } = findContent(backend, request.volumeContentSource, asked, accessType);
  checkMaximum(settings.maxVolumeSize, size);
  const zone = chooseZone(settings, request.accessibilityRequirements);
  const reservation = reserveSpace(backend, request.parameters.kind, size);
  try {
    const id = backend.newId();
    const volume: VolumeRecord = {
      ...unusedVolume,
      id,
      name: request.name,
      size,
      path: data.volumePath(id),
      accessType,
      ...parentsOf(request.volumeContentSource),
      kind: reservation.kind,
      zone,
      parameters: request.parameters,
      mutableParameters: request.mutableParameters,
      volumeContext: { ...request.parameters, ...extraContext(request.parameters) },
    };
    await commitWith(backend, [await data.createVolume(volume, content)], [{ put: "volume", record: volume }]);
    return volume;
  } finally {
    reservation.release();
  }
}

function checkMaximum(maximum: bigint, size: bigint): void {
  if (size > maximum) refuse("OutOfRange", `Requested capacity ${size} exceeds maximum allowed ${maximum}`);
}

const contextPrefix = "volumeContext.";

/** `volumeContext.<k>=<v>` makes the driver answer further context. */
function extraContext(parameters: Readonly<Record<string, string>>): Record<string, string> {
  const extra = Object.entries(parameters).filter(([key]) => key.startsWith(contextPrefix));
  return Object.fromEntries(extra.map(([key, value]) => [key.slice(contextPrefix.length), value]));
}

/** A volume as CreateVolume, ListVolumes and ControllerGetVolume answer it. */
export function volumeResponse({ settings }: Backend, volume: VolumeRecord) {
  return {
    volumeId: volume.id,
    capacityBytes: volume.size,
    volumeContext: volume.volumeContext,
    contentSource: contentSourceOf(volume),
    accessibleTopology: volumeTopology(settings, volume),
  };
}
