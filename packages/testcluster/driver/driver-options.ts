import { type Clock, systemClock } from "@csi-sidecars/base";
import { type Capabilities, type Preset, presets } from "./capabilities.ts";
import type { RandomFaults } from "./random-faults.ts";
import type { Script } from "./step.ts";
import type { VolumeInput } from "./storage/storage.ts";

type Bytes = bigint | number | string;

/** What a scripted driver is to be like; everything has a default. */
export interface DriverOptions extends Partial<Omit<Settings, "capabilities" | "poolBytes" | "maximumVolumeBytes" | "clock">> {
  /** `attachable` unless given. */
  readonly capabilities?: Preset | Capabilities;
  readonly script?: Script;
  /** Volumes that are there from the beginning. */
  readonly volumes?: readonly VolumeInput[];
  readonly faults?: RandomFaults;
  readonly poolBytes?: Bytes;
  readonly maximumVolumeBytes?: Bytes;
  /** The path of the socket; one in a folder of its own unless given. */
  readonly socket?: string;
  /** Whether it serves from the beginning: yes unless told. */
  readonly started?: boolean;
  readonly clock?: Clock;
}

/** The settings with which a driver begins. */
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
  };
}

/** What a driver is like; a test may change it while it runs. */
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
  /** Segments of the node that it runs on, and of volumes that no topology was asked for. */
  topology: Readonly<Record<string, string>>;
  /** The nodes that exist; any id is one if none are given. */
  nodes: readonly string[] | undefined;
  ready: boolean;
  /** Whether new snapshots can be used at once; if not, `driver.finishSnapshots()` makes them usable. */
  snapshotsReady: boolean;
}
