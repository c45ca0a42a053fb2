import { type Clock, systemClock } from "@csi-sidecars/base";
import { type Capabilities, type Preset, presets } from "./capabilities.ts";
import type { RandomFaults } from "./random-faults.ts";
import type { Script } from "./step.ts";
import type { Settings } from "./storage/settings.ts";
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
