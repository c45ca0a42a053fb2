import {
  Code,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  type DriverClient,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  GrpcError,
  NodeServiceCapability_RPC_Type as NodeRpc,
  probe,
  readCapabilities,
  PluginCapability_Service_Type as Service,
} from "@csi-sidecars/csi";
import type { CallRecord, FaultRule } from "@csi-sidecars/hostpath";
import type { PlannedNode } from "../cluster/nodes.ts";
import type { SupervisedProcess } from "../processes/supervised-process.ts";
import { waitUntil } from "../wait-until.ts";

/** The CSI driver that the sidecar works for. */
export interface Driver extends AsyncDisposable {
  readonly info: DriverInfo;
  /** The path of its socket. */
  readonly socket: string;
  readonly client: DriverClient;
  /** The hostpath driver, whose process is ours; absent for the user's own driver. */
  readonly hostpath?: OurDriver;
  /** What its NodeGetInfo would answer on that node. */
  nodeInfo(node: PlannedNode): NodeInfo;
  /** Whether it answers at the moment. */
  health(): Promise<DriverHealth>;
  /** The ids of all its volumes; `undefined` where it cannot list them. */
  volumeIds(): Promise<ReadonlySet<string> | undefined>;
}

export interface OurDriver {
  readonly process: SupervisedProcess;
  readonly control: HostpathControl;
}

/** A volume of the driver. */
export interface HostpathVolume {
  readonly id: string;
  readonly name: string;
  readonly zone: string;
  /** In bytes. */
  readonly size: string;
  readonly mutableParameters: Readonly<Record<string, string>>;
  readonly attachments: readonly { readonly nodeId: string }[];
}

/** A snapshot of the driver. */
export interface HostpathSnapshot {
  readonly id: string;
  readonly creationTime: { readonly seconds: string; readonly nanos: number };
}

/** The control API of the driver: its volumes and snapshots, the calls it got, and injected faults. */
export interface HostpathControl {
  volumes(): Promise<readonly HostpathVolume[]>;
  snapshots(): Promise<readonly HostpathSnapshot[]>;
  calls(method: string): Promise<readonly CallRecord[]>;
  rules(): Promise<readonly FaultRule[]>;
  setRules(rules: readonly FaultRule[]): Promise<void>;
  /** Makes the driver report a volume, named by its id or its name, as abnormal. */
  setAbnormal(volume: string, message: string): Promise<void>;
  /** The driver reports what it finds of the volume again. */
  resetCondition(volume: string): Promise<void>;
}

export interface DriverHealth {
  readonly answers: boolean;
  /** How many volumes it has, where that is known without asking it. */
  readonly volumes?: number;
}

/** What a driver reports about a node. */
export interface NodeInfo {
  readonly id: string;
  /** Its topology; empty where the driver has none. */
  readonly segments: Readonly<Record<string, string>>;
  /** The maximum number of volumes; 0 for no limit. */
  readonly limit: number;
}

/** What a driver reports about itself. It decides which controllers run and which objects are created. */
export interface DriverInfo {
  readonly name: string;
  readonly version: string;
  readonly provisions: boolean;
  readonly attaches: boolean;
  readonly lists: boolean;
  readonly topology: boolean;
  readonly reportsCapacity: boolean;
  /** It expands volumes, in its controller or its node service. */
  readonly expands: boolean;
  /** Volumes need a NodeExpandVolume. */
  readonly expandsOnNodes: boolean;
  /** Volumes are staged on a node before they are published to pods. */
  readonly stagesOnNodes: boolean;
  /** It tells how full the volumes of pods are. */
  readonly reportsUsage: boolean;
  /** Its node service tells the access modes for a single node apart. */
  readonly singleNodeMultiWriter: boolean;
  readonly modifies: boolean;
  /** It takes snapshots. */
  readonly snapshots: boolean;
  readonly groupSnapshots: boolean;
  /** It reports the condition of its volumes. */
  readonly reportsConditions: boolean;
  /** The node that it runs on; absent where it has no node service. */
  readonly node?: NodeInfo;
}

/** How long each call may take; `asking` is called before each of them. */
export interface ReadOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly asking?: (rpc: string) => void;
}

/** Waits until a driver is ready and reads all of it. */
export async function readDriverInfo(driver: DriverClient, { timeoutMs, signal, asking = () => {} }: ReadOptions): Promise<DriverInfo> {
  const options = { timeoutMs, signal };
  asking("GetPluginInfo");
  const { name, vendorVersion } = await driver.identity.getPluginInfo({}, options);
  asking("Probe");
  await waitUntil("Probe to answer ready", async () => (await probe(driver, options)) || undefined, { signal, limitMs: timeoutMs });
  asking("GetPluginCapabilities");
  const { services } = await readCapabilities.plugin(driver, options);
  asking("ControllerGetCapabilities");
  const rpcs = services.has(Service.CONTROLLER_SERVICE) ? await readCapabilities.controller(driver, options) : new Set<ControllerRpc>();
  asking("GroupControllerGetCapabilities");
  const groupRpcs = services.has(Service.GROUP_CONTROLLER_SERVICE)
    ? await readCapabilities.groupController(driver, options)
    : new Set<GroupRpc>();
  asking("NodeGetInfo");
  const node = await unlessUnimplemented(nodeInfo(driver, options));
  asking("NodeGetCapabilities");
  const nodeRpcs = node && (await unlessUnimplemented(readCapabilities.node(driver, options)));
  const onNodes = (rpc: NodeRpc) => nodeRpcs?.has(rpc) ?? false;
  const expandsOnNodes = onNodes(NodeRpc.EXPAND_VOLUME);
  return {
    name,
    version: vendorVersion,
    provisions: rpcs.has(ControllerRpc.CREATE_DELETE_VOLUME),
    attaches: rpcs.has(ControllerRpc.PUBLISH_UNPUBLISH_VOLUME),
    lists: rpcs.has(ControllerRpc.LIST_VOLUMES),
    topology: services.has(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS),
    reportsCapacity: rpcs.has(ControllerRpc.GET_CAPACITY),
    expands: rpcs.has(ControllerRpc.EXPAND_VOLUME) || expandsOnNodes,
    expandsOnNodes,
    stagesOnNodes: onNodes(NodeRpc.STAGE_UNSTAGE_VOLUME),
    reportsUsage: onNodes(NodeRpc.GET_VOLUME_STATS),
    singleNodeMultiWriter: onNodes(NodeRpc.SINGLE_NODE_MULTI_WRITER),
    modifies: rpcs.has(ControllerRpc.MODIFY_VOLUME),
    snapshots: rpcs.has(ControllerRpc.CREATE_DELETE_SNAPSHOT),
    groupSnapshots: groupRpcs.has(GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT),
    reportsConditions:
      rpcs.has(ControllerRpc.VOLUME_CONDITION) && (rpcs.has(ControllerRpc.LIST_VOLUMES) || rpcs.has(ControllerRpc.GET_VOLUME)),
    ...(node && { node }),
  };
}

async function nodeInfo({ node }: DriverClient, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<NodeInfo> {
  const { nodeId, accessibleTopology, maxVolumesPerNode } = await node.nodeGetInfo({}, options);
  return { id: nodeId, segments: accessibleTopology?.segments ?? {}, limit: Number(maxVolumesPerNode) };
}

/** The answer of a service that the driver may not have. */
function unlessUnimplemented<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof GrpcError && error.code === Code.Unimplemented) return undefined;
    throw error;
  });
}
