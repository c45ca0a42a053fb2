import { type Clock, systemClock } from "@csi-sidecars/base";
import { type Capabilities, type Preset, presets } from "./capabilities.ts";
import type { RandomFaults } from "./random-faults.ts";
import type { Script } from "./step.ts";
import type { VolumeInput } from "./storage/storage.ts";

type Bytes = bigint | number | string;

/** The options of a scripted driver; all have defaults. */
export interface DriverOptions extends Partial<Omit<Settings, "capabilities" | "poolBytes" | "maximumVolumeBytes" | "clock">> {
  /** `attachable` unless given. */
  readonly capabilities?: Preset | Capabilities;
  readonly script?: Script;
  /** Volumes that exist at the start. */
  readonly volumes?: readonly VolumeInput[];
  readonly faults?: RandomFaults;
  readonly poolBytes?: Bytes;
  readonly maximumVolumeBytes?: Bytes;
  /** The path of the socket; one in a folder of its own unless given. */
  readonly socket?: string;
  /** Clients that have a socket of their own (`driver.addressOf(name)`): the record of a call then says who called. */
  readonly callers?: readonly string[];
  /** Whether it is started at once; true unless given. */
  readonly started?: boolean;
  readonly clock?: Clock;
}

/** The initial settings. */
export function settingsOf(options: DriverOptions): Settings {
  const { capabilities = "attachable", maximumVolumeBytes } = options;
  return {
    name: options.name ?? "driver.example.com",
    vendorVersion: options.vendorVersion ?? "1.0.0",
    clock: options.clock ?? systemClock,
    capabilities: typeof capabilities === "string" ? presets[capabilities] : capabilities,
    poolBytes: BigInt(options.poolBytes ?? 2n ** 50n),
    maximumVolumeBytes: maximumVolumeBytes === undefined ? undefined : BigInt(maximumVolumeBytes),
    nodeId: options.nodeId ?? "node-1",
    maxVolumesPerNode: options.maxVolumesPerNode ?? 0,
    topology: options.topology ?? { "topology.example.com/node": options.nodeId ?? "node-1" },
    nodes: options.nodes,
    ready: options.ready ?? true,
    snapshotsReady: options.snapshotsReady ?? true,
    locksVolumes: options.locksVolumes ?? false,
  };
}

/** The settings of a driver; a test may change them while it runs. */
export interface Settings {
  readonly name: string;
  readonly vendorVersion: string;
  readonly clock: Clock;
  capabilities: Capabilities;
  /** Of the whole pool. */
  poolBytes: bigint;
  maximumVolumeBytes: bigint | undefined;
  nodeId: string;
  maxVolumesPerNode: number;
  /** Topology segments of the node, and of volumes that are created without a topology requirement. */
  topology: Readonly<Record<string, string>>;
  /** The nodes that exist; any id is accepted if none are given. */
  nodes: readonly string[] | undefined;
  ready: boolean;
  /** Whether new snapshots can be used at once; if not, `driver.finishSnapshots()` makes them usable. A number: how many answers about each say no. */
  snapshotsReady: boolean | { readonly afterAnswers: number };
  /** Whether a call that changes a volume is answered with Aborted while another one does, as CSI recommends. */
  locksVolumes: boolean;
}
