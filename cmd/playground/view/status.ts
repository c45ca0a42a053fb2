/** What the playground shows of the cluster at one moment. Plain data, so that rendering it is a pure function. */
export interface PlaygroundStatus {
  /** What the keys have let go wrong: `driver slow: each call takes 5 s`. */
  readonly faults: readonly string[];
  /** Milliseconds since the epoch, as all times here. */
  readonly at: number;
  readonly claims: readonly ClaimRow[];
  readonly volumes: readonly VolumeRow[];
  readonly attachments: readonly AttachmentRow[];
  readonly pods: readonly PodRow[];
  /** Empty where the driver takes none; likewise the groups. */
  readonly snapshots: readonly SnapshotRow[];
  readonly groupSnapshots: readonly GroupSnapshotRow[];
  /** Oldest first. */
  readonly events: readonly EventRow[];
  readonly sidecar: ProcessState & {
    /** In bytes; `undefined` where it is unknown. */
    readonly memory: number | undefined;
    readonly requestsPerSecond: number;
  };
  /** Absent where the driver takes no snapshots. */
  readonly snapshotController?: ProcessState;
  readonly driver: {
    readonly name: string;
    /** Its process, where that is ours. */
    readonly process?: ProcessState;
    readonly answers: boolean;
    /** How many volumes it has, where that is known. */
    readonly volumes?: number;
  };
  /** What is wrong with the playground itself. */
  readonly problem?: string;
}

export interface ProcessState {
  /** `undefined` while it does not run. */
  readonly pid: number | undefined;
  readonly restarts: number;
}

interface Row {
  readonly name: string;
  readonly phase: string;
  readonly since: number;
}

export interface ClaimRow extends Row {
  readonly volume: string;
  /** What it has; what it requests until it is bound. */
  readonly size: string;
  /** What it requests beyond that, and how far it is; empty where it has all. */
  readonly growth: string;
  /** Its VolumeAttributesClass, and the one it changes to; empty without one. */
  readonly attributes: string;
}

export interface VolumeRow extends Row {
  readonly claim: string;
  /** The topology it is accessible from; empty for everywhere. */
  readonly topology: string;
  readonly size: string;
  /** What the driver says is wrong with it; empty for nothing. */
  readonly abnormal: string;
}

export interface AttachmentRow extends Row {
  readonly volume: string;
  readonly node: string;
  /** Empty without topology. */
  readonly zone: string;
}

export interface PodRow extends Row {
  /** Empty until it is scheduled. */
  readonly node: string;
  /** What has become of its volumes: `mounted`, or what it waits for; empty where it has none. */
  readonly volumes: string;
}

export interface SnapshotRow extends Row {
  /** Empty until it is known. */
  readonly size: string;
  /** The claim; the content of one that was in the storage system before. */
  readonly source: string;
  /** The group snapshot that it belongs to; empty for none. */
  readonly group: string;
}

export interface GroupSnapshotRow extends Row {
  /** The claims of its snapshots; empty until they are taken. */
  readonly claims: string;
}

export interface EventRow {
  /** Unique, and a new one when the event occurs again. */
  readonly key: string;
  readonly at: number;
  readonly warning: boolean;
  readonly reason: string;
  /** `PersistentVolumeClaim/data`. */
  readonly about: string;
  readonly message: string;
  readonly count: number;
}
