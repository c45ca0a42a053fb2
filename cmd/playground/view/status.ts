/** What the playground shows of the cluster at one moment. Plain data, so that rendering it is a pure function. */
export interface PlaygroundStatus {
  /** Milliseconds since the epoch, as all times here. */
  readonly at: number;
  readonly claims: readonly ClaimRow[];
  readonly volumes: readonly VolumeRow[];
  readonly attachments: readonly AttachmentRow[];
  /** Oldest first. */
  readonly events: readonly EventRow[];
  readonly sidecar: {
    readonly pid: number | undefined;
    readonly restarts: number;
    /** In bytes; `undefined` where it is unknown. */
    readonly memory: number | undefined;
    readonly requestsPerSecond: number;
  };
  readonly driver: {
    readonly name: string;
    /** Its process, where that is ours. */
    readonly process?: { readonly pid: number | undefined; readonly restarts: number };
    readonly answers: boolean;
    /** How many volumes it has, where that is known. */
    readonly volumes?: number;
  };
  /** What is wrong with the playground itself. */
  readonly problem?: string;
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
}

export interface AttachmentRow extends Row {
  readonly volume: string;
  readonly node: string;
  /** Empty without topology. */
  readonly zone: string;
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
