import { VolumeHealthErrorType as Status } from "@csi-sidecars/csi";
import type { Settings } from "../driver-options.ts";
import type { Behaviour, Request } from "../methods.ts";
import { addVolume, defaultVolumeBytes, existing, page, refuse, type Storage, type StoredVolume } from "./storage.ts";

/** Creating, deleting, expanding, modifying and listing volumes. */
export function volumes(storage: Storage, settings: Settings) {
  const statusOf = (volume: StoredVolume) => ({
    publishedNodeIds: settings.capabilities.controller.includes("LIST_VOLUMES_PUBLISHED_NODES") ? [...volume.published.keys()] : [],
    ...(settings.capabilities.controller.includes("VOLUME_CONDITION") ? { volumeCondition: conditionOf(volume) } : {}),
  });
  return {
    CreateVolume(request) {
      if (request.name === "") refuse("InvalidArgument", "name is missing");
      if (request.volumeCapabilities.length === 0) refuse("InvalidArgument", "volume_capabilities are missing");
      const same = [...storage.volumes.values()].find(({ name }) => name === request.name);
      if (same) {
        if (!fits(same, request)) refuse("AlreadyExists", `volume ${request.name} exists and is different`);
        return { volume: described(same) };
      }
      const capacityBytes = sizeFor(storage, settings, request);
      return {
        volume: described(
          addVolume(storage, {
            id: storage.nextId("vol"),
            name: request.name,
            capacityBytes,
            parameters: request.parameters,
            mutableParameters: request.mutableParameters,
            source: request.volumeContentSource,
            topology: topologyFor(settings, request),
          }),
        ),
      };
    },
    DeleteVolume({ volumeId }) {
      if (volumeId === "") refuse("InvalidArgument", "volume_id is missing");
      const volume = storage.volumes.get(volumeId);
      if (volume && volume.published.size > 0)
        refuse("FailedPrecondition", `volume ${volumeId} is published to ${[...volume.published.keys()].join(", ")}`);
      storage.volumes.delete(volumeId);
      return {};
    },
    ValidateVolumeCapabilities({ volumeId, volumeContext, volumeCapabilities, parameters }) {
      existing(storage, volumeId);
      return { confirmed: { volumeContext, volumeCapabilities, parameters } };
    },
    ListVolumes({ maxEntries, startingToken }) {
      const { entries, nextToken } = page([...storage.volumes.values()], maxEntries, startingToken);
      return { entries: entries.map((volume) => ({ volume: described(volume), status: statusOf(volume) })), nextToken };
    },
    ControllerGetVolume({ volumeId }) {
      const volume = existing(storage, volumeId);
      return { volume: described(volume), status: statusOf(volume) };
    },
    GetCapacity() {
      return { availableCapacity: freeBytes(storage, settings), maximumVolumeSize: settings.maximumVolumeBytes };
    },
    ControllerExpandVolume({ volumeId, capacityRange }) {
      const volume = existing(storage, volumeId);
      const required = capacityRange?.requiredBytes ?? 0n;
      const limit = capacityRange?.limitBytes ?? 0n;
      if (limit > 0n && volume.capacityBytes > limit) refuse("OutOfRange", `volume ${volumeId} is larger than ${limit}`);
      if (required > (settings.maximumVolumeBytes ?? required)) refuse("OutOfRange", `volumes end at ${settings.maximumVolumeBytes} bytes`);
      if (required - volume.capacityBytes > freeBytes(storage, settings)) refuse("OutOfRange", "the pool is too small");
      if (required > volume.capacityBytes) volume.capacityBytes = required;
      return { capacityBytes: volume.capacityBytes, nodeExpansionRequired: settings.capabilities.node.includes("EXPAND_VOLUME") };
    },
    ControllerModifyVolume({ volumeId, mutableParameters }) {
      const volume = existing(storage, volumeId);
      volume.mutableParameters = { ...volume.mutableParameters, ...mutableParameters };
      return {};
    },
  } satisfies Partial<Behaviour>;
}

/** The health of a volume as it is reported. */
export function conditionOf({ abnormal }: StoredVolume) {
  return { abnormal: abnormal !== undefined, message: abnormal ?? "ok" };
}

function described(volume: StoredVolume) {
  return {
    volumeId: volume.id,
    capacityBytes: volume.capacityBytes,
    volumeContext: { ...volume.context },
    contentSource: volume.source,
    accessibleTopology: volume.topology,
  };
}

function fits(volume: StoredVolume, { capacityRange, volumeContentSource }: Request<"CreateVolume">): boolean {
  const { requiredBytes = 0n, limitBytes = 0n } = capacityRange ?? {};
  return (
    volume.capacityBytes >= requiredBytes &&
    (limitBytes === 0n || volume.capacityBytes <= limitBytes) &&
    JSON.stringify(volume.source) === JSON.stringify(volumeContentSource)
  );
}

function sizeFor(storage: Storage, settings: Settings, { capacityRange, volumeContentSource }: Request<"CreateVolume">): bigint {
  const { requiredBytes = 0n, limitBytes = 0n } = capacityRange ?? {};
  const least = sourceBytes(storage, settings, volumeContentSource);
  const wanted = requiredBytes > 0n ? requiredBytes : least > 0n ? least : defaultVolumeBytes;
  const size = limitBytes > 0n && wanted > limitBytes && requiredBytes <= limitBytes ? limitBytes : wanted;
  if (limitBytes > 0n && size > limitBytes) refuse("OutOfRange", `${size} bytes are more than the limit of ${limitBytes}`);
  if (size < least) refuse("OutOfRange", `${size} bytes are less than the ${least} of the source`);
  if (size > (settings.maximumVolumeBytes ?? size)) refuse("OutOfRange", `volumes end at ${settings.maximumVolumeBytes} bytes`);
  if (size > freeBytes(storage, settings)) refuse("ResourceExhausted", "the pool is full");
  return size;
}

function sourceBytes(storage: Storage, settings: Settings, source: Request<"CreateVolume">["volumeContentSource"]): bigint {
  switch (source?.type?.$case) {
    case undefined:
      return 0n;
    case "snapshot": {
      const { snapshotId } = source.type.snapshot;
      const snapshot = storage.snapshots.get(snapshotId) ?? refuse("NotFound", `snapshot ${snapshotId} does not exist`);
      return snapshot.readyToUse ? snapshot.sizeBytes : refuse("Aborted", `snapshot ${snapshotId} is not ready`);
    }
    case "volume":
      if (!settings.capabilities.controller.includes("CLONE_VOLUME")) refuse("InvalidArgument", "volumes cannot be cloned");
      return existing(storage, source.type.volume.volumeId).capacityBytes;
  }
}

function topologyFor({ capabilities, topology }: Settings, { accessibilityRequirements: asked }: Request<"CreateVolume">) {
  if (!capabilities.plugin.includes("VOLUME_ACCESSIBILITY_CONSTRAINTS")) return [];
  const first = asked?.preferred[0] ?? asked?.requisite[0];
  return [first ?? { segments: { ...topology } }];
}

function freeBytes(storage: Storage, { poolBytes }: Settings): bigint {
  let used = 0n;
  for (const { capacityBytes } of storage.volumes.values()) used += capacityBytes;
  return poolBytes > used ? poolBytes - used : 0n;
}

/** The volume health methods of CSI 1.13: abnormal volumes are inaccessible. */
export function health(storage: Storage) {
  return {
    ControllerGetVolumeHealth({ volumeId }) {
      return { volumeHealth: healthOf(existing(storage, volumeId)) };
    },
    ControllerListVolumeHealth({ maxEntries, startingToken }) {
      const abnormal = [...storage.volumes.values()].filter((volume) => volume.abnormal !== undefined);
      const { entries, nextToken } = page(abnormal, maxEntries, startingToken);
      return { entries: entries.map(healthOf), nextToken };
    },
    NodeGetVolumeHealth({ volumeId }) {
      return { volumeHealth: healthOf(existing(storage, volumeId)) };
    },
    NodeGetStorageHealth() {
      return { backendHealth: [] };
    },
  } satisfies Partial<Behaviour>;
}

function healthOf({ id, abnormal }: StoredVolume) {
  const healthStatuses = abnormal === undefined ? [] : [{ status: Status.INACCESSIBLE, reason: "Abnormal", message: abnormal }];
  return { volumeId: id, healthStatuses };
}
