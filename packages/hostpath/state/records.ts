/** A volume is used as a file system or as a device. */
export type AccessType = "mount" | "block";

/** A node that a volume is attached to (ControllerPublishVolume). */
export interface Attachment {
  readonly nodeId: string;
  readonly readOnly: boolean;
  /** As what; empty where that is not known. */
  readonly capability: string;
}

/** A path at which a volume is published on this node (NodePublishVolume). */
export interface Publication {
  readonly target: string;
  readonly readOnly: boolean;
  /** As what; empty where that is not known. */
  readonly capability: string;
}

/** All that is remembered of a volume. */
export interface VolumeRecord {
  readonly id: string;
  readonly name: string;
  readonly size: bigint;
  readonly path: string;
  readonly accessType: AccessType;
  /** The source it was populated from; empty when there was none. */
  readonly parentVolumeId: string;
  readonly parentSnapshotId: string;
  readonly ephemeral: boolean;
  /** The node on which it is published; empty while it is not. */
  readonly nodeId: string;
  /** The capacity pool it takes its space from; empty without pools. */
  readonly kind: string;
  /** Whose nodes can reach it; empty where the driver has no zones. */
  readonly zone: string;
  readonly attachments: readonly Attachment[];
  /** Staging paths (NodeStageVolume). */
  readonly staged: readonly string[];
  /** As what it is staged; empty where it is not, or that is not known. */
  readonly stagedAs: string;
  readonly published: readonly Publication[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly mutableParameters: Readonly<Record<string, string>>;
  readonly volumeContext: Readonly<Record<string, string>>;
}

/** The defaults of a new volume that is empty and not in use. */
export const unusedVolume = {
  parentVolumeId: "",
  parentSnapshotId: "",
  ephemeral: false,
  nodeId: "",
  kind: "",
  zone: "",
  attachments: [],
  staged: [],
  stagedAs: "",
  published: [],
  parameters: {},
  mutableParameters: {},
  volumeContext: {},
} as const satisfies Partial<VolumeRecord>;

/** A point in time, as in `google.protobuf.Timestamp`. */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** All that is remembered of a snapshot. */
export interface SnapshotRecord {
  readonly id: string;
  readonly name: string;
  readonly volumeId: string;
  readonly path: string;
  readonly creationTime: Timestamp;
  readonly size: bigint;
  readonly readyToUse: boolean;
  /** The group it was cut with; empty when it was cut alone. */
  readonly groupId: string;
  readonly accessType: AccessType;
  /** Whether its volume is reported as accessible everywhere. */
  readonly everywhere: boolean;
}

/** All that is remembered of a group snapshot; its members are snapshots of their own. */
export interface GroupRecord {
  readonly id: string;
  readonly name: string;
  readonly snapshotIds: readonly string[];
  readonly sourceVolumeIds: readonly string[];
  readonly creationTime: Timestamp;
  readonly readyToUse: boolean;
}

/** One change of the state; all changes of a commit take effect together or not at all. */
export type Change =
  | { readonly put: "volume"; readonly record: VolumeRecord }
  | { readonly put: "snapshot"; readonly record: SnapshotRecord }
  | { readonly put: "group"; readonly record: GroupRecord }
  | { readonly remove: "volume" | "snapshot" | "group"; readonly id: string };

/** Milliseconds since the epoch as a {@link Timestamp}. */
export function timestampOf(ms: number): Timestamp {
  const whole = Math.floor(ms);
  return { seconds: BigInt(Math.floor(whole / 1000)), nanos: (whole % 1000) * 1_000_000 };
}
