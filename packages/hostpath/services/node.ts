import { type NodeDefinition, NodeServiceCapability_RPC_Type as Rpc, type ServiceHandlers } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { needs, nodeCapabilities } from "../capabilities.ts";
import { nodeExpandVolume } from "../node/expand.ts";
import { nodeGetStorageHealth, nodeGetVolumeHealth } from "../node/health.ts";
import { nodeGetInfo } from "../node/info.ts";
import { nodePublishVolume, nodeUnpublishVolume } from "../node/publish.ts";
import { nodeStageVolume, nodeUnstageVolume } from "../node/stage.ts";
import { nodeGetVolumeStats } from "../node/stats.ts";

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
      needs(capabilities(), "EXPAND_VOLUME");
      return nodeExpandVolume(backend, request);
    },
    nodeGetVolumeHealth(request) {
      needs(capabilities(), "GET_VOLUME_HEALTH");
      return nodeGetVolumeHealth(backend, request);
    },
    nodeGetStorageHealth() {
      needs(capabilities(), "GET_STORAGE_HEALTH");
      return nodeGetStorageHealth(backend);
    },
  };
}
