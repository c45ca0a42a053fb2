import { Channel, driverClient } from "@csi-sidecars/csi";
import type { RegisterPlugin } from "./register-plugin.ts";

/**
 * Registers a driver only if it answers `NodeGetInfo` at the endpoint it named, as kubelet does. `path` turns the path on the host
 * into one on this machine.
 */
export function askNodeInfo(path: (endpoint: string) => string = (endpoint) => endpoint): RegisterPlugin {
  return async ({ endpoint }) => {
    const channel = new Channel({ target: { kind: "unix", path: path(endpoint) } });
    try {
      const { nodeId } = await driverClient(channel).node.nodeGetInfo({}, { timeoutMs: 120_000 });
      return nodeId === "" ? "nodeID is empty" : undefined;
    } catch (error) {
      return String(error);
    } finally {
      channel.close();
    }
  };
}
