import { type HandlerContext, type NodeDefinition, NodeServiceCapability_RPC_Type as Rpc, type ServiceHandlers } from "@csi-sidecars/csi";
import { grpcStatus } from "./call-status.ts";
import type { SmbDriver } from "./driver.ts";
import { publishVolume, unpublishVolume } from "./publish.ts";
import { stageVolume, unstageVolume } from "./stage.ts";
import { volumeStats } from "./volume-stats.ts";

const capabilities = [Rpc.STAGE_UNSTAGE_VOLUME, Rpc.GET_VOLUME_STATS];

/**
 * The Node service. Nothing is kept in memory: what is staged and published is what the files and links on the node say, so that the
 * driver may be killed at any moment. A share has the size that its file server gives it, so there is nothing to expand on a node.
 */
export function nodeService(driver: SmbDriver): ServiceHandlers<typeof NodeDefinition> {
  const call =
    <Request, Response>(method: (driver: SmbDriver, request: Request, options: { signal: AbortSignal }) => Promise<Response>) =>
    async (request: Request, { path, signal }: HandlerContext): Promise<Response> => {
      try {
        return await method(driver, request, { signal });
      } catch (error) {
        const status = grpcStatus(error);
        driver.log.error(status, "A call failed", { method: path });
        throw status;
      }
    };
  return {
    nodeGetCapabilities: () => ({ capabilities: capabilities.map((type) => ({ type: { $case: "rpc" as const, rpc: { type } } })) }),
    nodeGetInfo: () => ({ nodeId: driver.nodeId }),
    nodeStageVolume: call(stageVolume),
    nodeUnstageVolume: call(unstageVolume),
    nodePublishVolume: call(publishVolume),
    nodeUnpublishVolume: call(unpublishVolume),
    nodeGetVolumeStats: call(volumeStats),
  };
}
