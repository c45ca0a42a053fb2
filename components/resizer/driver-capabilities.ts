import { controllerCapabilities } from "@csi-sidecars/controller";
import {
  Code,
  type DriverCapabilities,
  GrpcError,
  NodeServiceCapability_RPC_Type as NodeRpc,
  ControllerServiceCapability_RPC_Type as Rpc,
} from "@csi-sidecars/csi";
import { inTreeNameOf } from "@csi-sidecars/translation";

/** What is known about the driver. It does not change while the component runs. */
export interface DriverInfo {
  readonly name: string;
  /** Whether it replaced an in-tree plugin: then it also expands the volumes of that one. */
  readonly migrated: boolean;
  /** Who expands its volumes: the controller service, perhaps with the node; the node alone, which upstream calls trivial; nobody. */
  readonly expansion: "controller" | "node" | "none";
  readonly modifiesVolumes: boolean;
  readonly singleNodeMultiWriter: boolean;
}

/** Asks the driver for its capabilities, once for each connection. */
export async function driverInfo(
  name: string,
  capabilities: DriverCapabilities,
  options: { readonly timeoutMs: number },
): Promise<DriverInfo> {
  const { controllerService, rpcs } = await controllerCapabilities(capabilities, options);
  const nodeExpands = async () => controllerService && (await nodeCapabilities(capabilities, options)).has(NodeRpc.EXPAND_VOLUME);
  return {
    name,
    migrated: inTreeNameOf(name) !== undefined,
    expansion: rpcs.has(Rpc.EXPAND_VOLUME) ? "controller" : (await nodeExpands()) ? "node" : "none",
    modifiesVolumes: rpcs.has(Rpc.MODIFY_VOLUME),
    singleNodeMultiWriter: rpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER),
  };
}

/** A driver whose controller has a socket of its own does not serve the node service there: it expands nothing on nodes either. */
async function nodeCapabilities(capabilities: DriverCapabilities, options: { readonly timeoutMs: number }): Promise<ReadonlySet<NodeRpc>> {
  try {
    return await capabilities.node(options);
  } catch (error) {
    if (error instanceof GrpcError && error.code === Code.Unimplemented) return new Set();
    throw error;
  }
}

/** Why there is nothing to do for the driver, in upstream's words. */
export async function unsupportedDriver(
  { name, capabilities }: { readonly name: string; readonly capabilities: DriverCapabilities },
  options: { readonly timeoutMs: number },
): Promise<string | undefined> {
  const { controllerService } = await controllerCapabilities(capabilities, options);
  if (!controllerService) return "CSI driver does not support controller service";
  const { expansion, modifiesVolumes } = await driverInfo(name, capabilities, options);
  return expansion === "none" && !modifiesVolumes ? "CSI driver does not support resize nor modify" : undefined;
}
