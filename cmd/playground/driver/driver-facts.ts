import {
  Code,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  type DriverClient,
  GrpcError,
  probe,
  readCapabilities,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";
import { eventually } from "../eventually.ts";

/** What a driver says of a node. */
export interface NodeFacts {
  readonly id: string;
  /** Where the node is; empty where the driver knows no topology. */
  readonly segments: Readonly<Record<string, string>>;
  /** How many volumes it takes; 0 for no limit. */
  readonly limit: number;
}

/** What a driver says of itself: which controllers run and which objects are made follows from it. */
export interface DriverFacts {
  readonly name: string;
  readonly version: string;
  readonly provisions: boolean;
  readonly attaches: boolean;
  readonly lists: boolean;
  readonly topology: boolean;
  readonly tellsCapacity: boolean;
  /** Of the node that it runs on; absent where it has no node half. */
  readonly node?: NodeFacts;
}

/** How long an answer may take; `asking` is told what is asked next. */
export interface Questions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly asking?: (rpc: string) => void;
}

/** Asks a driver for all of it, and waits until it says that it is ready. */
export async function askDriver(driver: DriverClient, { timeoutMs, signal, asking = () => {} }: Questions): Promise<DriverFacts> {
  const options = { timeoutMs, signal };
  asking("GetPluginInfo");
  const { name, vendorVersion } = await driver.identity.getPluginInfo({}, options);
  asking("Probe");
  await eventually("Probe to answer ready", async () => (await probe(driver, options)) || undefined, { signal, limitMs: timeoutMs });
  asking("GetPluginCapabilities");
  const { services } = await readCapabilities.plugin(driver, options);
  asking("ControllerGetCapabilities");
  const rpcs = services.has(Service.CONTROLLER_SERVICE) ? await readCapabilities.controller(driver, options) : new Set<ControllerRpc>();
  asking("NodeGetInfo");
  const node = await nodeFacts(driver, options);
  return {
    name,
    version: vendorVersion,
    provisions: rpcs.has(ControllerRpc.CREATE_DELETE_VOLUME),
    attaches: rpcs.has(ControllerRpc.PUBLISH_UNPUBLISH_VOLUME),
    lists: rpcs.has(ControllerRpc.LIST_VOLUMES),
    topology: services.has(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS),
    tellsCapacity: rpcs.has(ControllerRpc.GET_CAPACITY),
    ...(node && { node }),
  };
}

async function nodeFacts(
  { node }: DriverClient,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<NodeFacts | undefined> {
  try {
    const { nodeId, accessibleTopology, maxVolumesPerNode } = await node.nodeGetInfo({}, options);
    return { id: nodeId, segments: accessibleTopology?.segments ?? {}, limit: Number(maxVolumesPerNode) };
  } catch (error) {
    if (error instanceof GrpcError && error.code === Code.Unimplemented) return undefined;
    throw error;
  }
}
