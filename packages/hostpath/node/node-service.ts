import { stat, statfs } from "node:fs/promises";
import {
  type NodeDefinition,
  type NodeExpandVolumeRequest,
  type NodeGetVolumeStatsRequest,
  NodeServiceCapability_RPC_Type as Rpc,
  type ServiceHandlers,
  VolumeUsage_Unit as Unit,
} from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { nodeCapabilities, requireCapability } from "../capabilities.ts";
import { requestedSize } from "../controller/capacity.ts";
import { growVolume } from "../controller/expand-volume.ts";
import { volumeLock } from "../locks.ts";
import { refuse, requireFields } from "../refuse.ts";
import { ownTopology } from "../topology.ts";
import { conditionOf, nodeGetStorageHealth, nodeGetVolumeHealth, nodeHealth } from "../volume-health.ts";
import { nodePublishVolume, nodeUnpublishVolume } from "./publish.ts";
import { nodeStageVolume, nodeUnstageVolume } from "./stage.ts";

/** The Node service. */
export function nodeService(backend: Backend): ServiceHandlers<typeof NodeDefinition> {
  const capabilities = () => nodeCapabilities(backend.settings);
  return {
    nodeGetCapabilities: () => ({
      capabilities: capabilities().map((name) => ({ type: { $case: "rpc" as const, rpc: { type: Rpc[name] } } })),
    }),
    nodeGetInfo: () => nodeGetInfo(backend),
    nodeStageVolume: (request) => nodeStageVolume(backend, request),
    nodeUnstageVolume: (request) => nodeUnstageVolume(backend, request),
    nodePublishVolume: (request) => nodePublishVolume(backend, request),
    nodeUnpublishVolume: (request) => nodeUnpublishVolume(backend, request),
    nodeGetVolumeStats: (request) => nodeGetVolumeStats(backend, request),
    nodeExpandVolume(request) {
      requireCapability(capabilities(), "EXPAND_VOLUME");
      return nodeExpandVolume(backend, request);
    },
    nodeGetVolumeHealth(request) {
      requireCapability(capabilities(), "GET_VOLUME_HEALTH");
      return nodeGetVolumeHealth(backend, request);
    },
    nodeGetStorageHealth() {
      requireCapability(capabilities(), "GET_STORAGE_HEALTH");
      return nodeGetStorageHealth(backend);
    },
  };
}

/** NodeGetInfo. */
function nodeGetInfo({ settings, random }: Backend) {
  const { nodeId, attachLimit, maxVolumesPerNode, topology } = settings;
  const changing = BigInt(1 + Math.floor(random() * 10));
  const limit = attachLimit === 0n ? maxVolumesPerNode : attachLimit < 0n ? changing : attachLimit;
  return { nodeId, maxVolumesPerNode: limit, accessibleTopology: topology ? ownTopology(settings) : undefined };
}

/** NodeGetVolumeStats: usage of the file system of a volume, and the condition of the volume. */
async function nodeGetVolumeStats(backend: Backend, { volumeId, volumePath }: NodeGetVolumeStatsRequest) {
  requireFields({ volume_id: volumeId, volume_path: volumePath });
  const volume = volumeById(backend, volumeId);
  if (!(await stat(volumePath).catch(() => undefined))) refuse("NotFound", `path ${volumePath} of volume ${volumeId} does not exist`);
  const condition = backend.settings.volumeCondition && { volumeCondition: conditionOf(await nodeHealth(backend, volume)) };
  if (volume.accessType === "block") return { usage: [{ unit: Unit.BYTES, total: volume.size }], ...condition };
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(volumePath, { bigint: true });
  const bytes = { unit: Unit.BYTES, total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize };
  const inodes = { unit: Unit.INODES, total: files, used: files - ffree, available: ffree };
  return { usage: [bytes, inodes], ...condition };
}

/** NodeExpandVolume: there is no file system to grow. Without controller expansion it is here that the volume gets its space. */
async function nodeExpandVolume(backend: Backend, { volumeId, volumePath, capacityRange }: NodeExpandVolumeRequest) {
  const { settings, mounter } = backend;
  requireFields({ volume_id: volumeId });
  const volume = volumeById(backend, volumeId);
  requireFields({ volume_path: volumePath, capacity_range: capacityRange });
  const { required: wanted } = requestedSize(capacityRange);
  const maximum = settings.maxVolumeSizeNode || settings.maxVolumeSize;
  if (wanted > maximum) refuse("OutOfRange", `Requested capacity ${wanted} exceeds maximum allowed ${maximum}`);
  const found = await stat(volumePath).catch(() => undefined);
  if (!found) return refuse("InvalidArgument", `volume_path ${volumePath} does not exist`);
  const isRight =
    volume.accessType === "mount" ? found.isDirectory() : mounter.mode === "bind" ? found.isBlockDevice() : !found.isDirectory();
  if (!isRight) refuse("InvalidArgument", `volume ${volumeId} is a ${volume.accessType} volume, and ${volumePath} is none`);
  if (settings.controllerExpansion) return { capacityBytes: volume.size };
  return backend.locks.run([volumeLock(volumeId)], async () => {
    const current = volumeById(backend, volumeId);
    if (wanted > current.size) await growVolume(backend, current, wanted);
    return { capacityBytes: wanted > current.size ? wanted : current.size };
  });
}
