import type { Clock, Logger } from "@csi-sidecars/base";
import type { FaultRule } from "./faults/fault-rules.ts";
import type { MountMode } from "./mount/mounter.ts";
import type { RunProgram } from "./run-program.ts";
import type { AppendFile } from "./state/durable-file.ts";

/** The secrets that calls must have, by RPC name. */
export type SecretRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the driver supports; a script may change it at run time. */
export interface Features {
  /** PUBLISH_UNPUBLISH_VOLUME. */
  readonly attach: boolean;
  readonly topology: boolean;
  /** Expansion at all; the next two disable one side. */
  readonly expansion: boolean;
  readonly controllerExpansion: boolean;
  readonly nodeExpansion: boolean;
  /** The plugin capability VolumeExpansion. */
  readonly expansionMode: "online" | "offline" | "none";
  /** MODIFY_VOLUME. */
  readonly modify: boolean;
  /** GET_VOLUME. */
  readonly getVolume: boolean;
  /** LIST_VOLUMES. */
  readonly listVolumes: boolean;
  /** VOLUME_CONDITION of the Controller and the Node service. */
  readonly volumeCondition: boolean;
  readonly listSnapshots: boolean;
  readonly groupSnapshots: boolean;
  readonly snapshotMetadata: boolean;
  /** LIST_VOLUMES_PUBLISHED_NODES; has no effect without `attach` and `listVolumes`. */
  readonly publishedNodes: boolean;
  readonly publishReadonly: boolean;
  readonly volumeMountGroup: boolean;
  /** The health RPCs of CSI 1.13. */
  readonly volumeHealth: boolean;
  /** SNAPSHOT_ACCESSIBILITY_CONSTRAINTS of CSI 1.13; has no effect without `topology`. */
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
  /** Above 0: enforced; -1: a random number in each NodeGetInfo; 0: none. */
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
  /** The code of NodeStageVolume for a volume that is not attached. */
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

/** The defaults; only the node id has none. */
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
  getVolume: true,
  listVolumes: true,
  volumeCondition: true,
  listSnapshots: true,
  groupSnapshots: true,
  snapshotMetadata: false,
  publishedNodes: false,
  publishReadonly: false,
  volumeMountGroup: false,
  volumeHealth: false,
  snapshotTopology: false,
};

/** The topology key of nodes and volumes without zones. */
export const topologyKey = "topology.hostpath.csi/node";
/** The topology key if zones are configured. */
export const zoneKey = "topology.kubernetes.io/zone";

/** How a driver is started: settings that differ from the defaults, and its environment. */
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
  /** Ends the process in a crash; not given in tests. */
  readonly exit?: (code: number) => void;
  /** How many calls are remembered. */
  readonly callHistory?: number;
}
