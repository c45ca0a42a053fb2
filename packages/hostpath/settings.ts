import type { Clock, Logger } from "@csi-sidecars/base";
import type { FaultRule } from "./faults/fault-rules.ts";
import type { MountMode } from "./mount/mounter.ts";
import type { RunProgram } from "./run-program.ts";
import type { AppendFile } from "./state/durable-file.ts";

/** The secrets that calls must have, by RPC name. */
export type SecretRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the driver can do; a script may change it while the driver runs. */
export interface Features {
  /** PUBLISH_UNPUBLISH_VOLUME. */
  readonly attach: boolean;
  readonly topology: boolean;
  /** Expansion at all; the next two take one side away. */
  readonly expansion: boolean;
  readonly controllerExpansion: boolean;
  readonly nodeExpansion: boolean;
  /** The plugin capability VolumeExpansion. */
  readonly expansionMode: "online" | "offline" | "none";
  /** MODIFY_VOLUME. */
  readonly modify: boolean;
  readonly listSnapshots: boolean;
  readonly groupSnapshots: boolean;
  readonly snapshotMetadata: boolean;
  /** LIST_VOLUMES_PUBLISHED_NODES. */
  readonly publishedNodes: boolean;
  readonly publishReadonly: boolean;
  readonly volumeMountGroup: boolean;
  /** The RPCs with which CSI 1.13 tells the health of volumes and storage. */
  readonly volumeHealth: boolean;
  /** SNAPSHOT_ACCESSIBILITY_CONSTRAINTS of CSI 1.13; says nothing without `topology`. */
  readonly snapshotTopology: boolean;
}

/** The driver's configuration: each field is a flag of the command line. */
export interface Settings extends Features {
  readonly endpoint: string;
  readonly driverName: string;
  readonly vendorVersion: string;
  readonly stateDir: string;
  readonly nodeId: string;
  /** Further nodes that this process stands for: volumes may be attached to them, and staged. */
  readonly otherNodes: readonly string[];
  /** Zones by node id; with them a volume can be attached to all nodes of its zone, and to no other. */
  readonly zones: Readonly<Record<string, string>>;
  /** Every NodePublishVolume is ephemeral; no controller capabilities. */
  readonly ephemeral: boolean;
  readonly maxVolumesPerNode: bigint;
  /** Above 0: enforced; -1: a random number each time it is asked for; 0: none. */
  readonly attachLimit: bigint;
  /** Bytes by kind; empty means that there are no pools. */
  readonly capacity: Readonly<Record<string, bigint>>;
  readonly checkVolumeLifecycle: boolean;
  readonly maxVolumeSize: bigint;
  /** 0: as `maxVolumeSize`. */
  readonly maxVolumeSizeNode: bigint;
  /** Empty: all are accepted. */
  readonly acceptedMutableParameters: readonly string[];
  readonly snapshotMetadataBlockType: "FIXED_LENGTH" | "VARIABLE_LENGTH";
  readonly mountMode: MountMode | "auto";
  readonly backend: "disk" | "memory";
  /** What ControllerPublishVolume answers. */
  readonly publishContext: Readonly<Record<string, string>>;
  /** The code with which a volume is refused that is staged without being attached. */
  readonly unattachedStageCode: "Internal" | "FailedPrecondition";
  /** A file with fault rules, read again whenever it changes. */
  readonly faultsFile: string;
  /** `unix:///path` of the control endpoint; empty: none. */
  readonly controlEndpoint: string;
  /** A file to which each call is appended. */
  readonly callLogFile: string;
  /** Whether recorded calls show secrets. */
  readonly recordSecrets: boolean;
  readonly secretsRequired: SecretRules;
}

/** What a driver is like of which nothing is said but its node. */
export const defaultSettings: Settings = {
  endpoint: "unix:///tmp/csi.sock",
  driverName: "hostpath.csi.k8s.io",
  vendorVersion: "0.1.0",
  stateDir: "/csi-data-dir",
  nodeId: "",
  otherNodes: [],
  zones: {},
  ephemeral: false,
  maxVolumesPerNode: 0n,
  attachLimit: 0n,
  capacity: {},
  checkVolumeLifecycle: false,
  maxVolumeSize: 1n << 40n,
  maxVolumeSizeNode: 0n,
  acceptedMutableParameters: [],
  snapshotMetadataBlockType: "FIXED_LENGTH",
  mountMode: "auto",
  backend: "disk",
  publishContext: {},
  unattachedStageCode: "Internal",
  faultsFile: "",
  controlEndpoint: "",
  callLogFile: "",
  recordSecrets: false,
  secretsRequired: {},
  attach: false,
  topology: true,
  expansion: true,
  controllerExpansion: true,
  nodeExpansion: true,
  expansionMode: "none",
  modify: false,
  listSnapshots: true,
  groupSnapshots: true,
  snapshotMetadata: false,
  publishedNodes: false,
  publishReadonly: false,
  volumeMountGroup: false,
  volumeHealth: false,
  snapshotTopology: false,
};

/** The label by which volumes and nodes of this driver find each other. */
export const topologyKey = "topology.hostpath.csi/node";
/** The label that takes its place where zones are told. */
export const zoneKey = "topology.kubernetes.io/zone";

/** How a driver is started: settings that differ from the defaults, and the world around it. */
export interface HostpathOptions extends Partial<Settings> {
  readonly nodeId: string;
  /** Fault rules in force from the start, before those of `faultsFile`. */
  readonly faults?: readonly FaultRule[];
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly newId?: () => string;
  readonly runProgram?: RunProgram;
  /** Opens the journal; tests give a file that fails. */
  readonly openFile?: (path: string) => Promise<AppendFile>;
  /** What a crash does after everything was dropped: ends the process, in a program. */
  readonly exit?: (code: number) => void;
  /** How many calls are remembered. */
  readonly callHistory?: number;
}
