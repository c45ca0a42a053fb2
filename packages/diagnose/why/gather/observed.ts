import type {
  ObjectRef,
  V1beta1VolumePopulator,
  V1CSIDriver,
  V1CSINode,
  V1Event,
  V1Lease,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1ResourceQuota,
  V1StorageClass,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
  V1VolumeSnapshot,
  V1VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import type { Lookup } from "../../access/read-cluster.ts";
import type { ObservedEvents } from "../events.ts";
import type { ReportOn, ResponsibleFor } from "../responsible-sidecar.ts";
import type { Content, Snapshot, SnapshotKind } from "../snapshot-kinds.ts";

/** What was read for every object. Members of the interfaces below are absent where nothing depends on them. */
interface Common extends ObservedEvents {
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly responsibleFor: ResponsibleFor;
  /** What could not be read, and why. */
  readonly notes: readonly string[];
}

export interface ObservedClaim extends Common {
  readonly claim: Lookup<V1PersistentVolumeClaim>;
  readonly reportOn: ReportOn;
  /** Of its volume, where it is bound. */
  readonly conditions?: ObservedConditions;
  /** The class that the claim names. */
  readonly storageClass?: Lookup<V1StorageClass>;
  /** The default classes, where the claim names none. */
  readonly defaultClasses?: Lookup<readonly V1StorageClass[]>;
  /** Pods that use the claim and have not ended. */
  readonly pods?: Lookup<readonly V1Pod[]>;
  readonly selectedNode?: ObservedNode;
  readonly driver?: ObservedDriver;
  /** The volume that the claim names. */
  readonly volume?: Lookup<V1PersistentVolume>;
  /** All volumes, for a claim that no provisioner serves. */
  readonly volumes?: Lookup<readonly V1PersistentVolume[]>;
  readonly source?: ObservedDataSource;
  /** The one that the volume is modified to. */
  readonly attributesClass?: Lookup<V1VolumeAttributesClass>;
  /** Those of the namespace, for a claim that may be asked to grow. */
  readonly quotas?: Lookup<readonly V1ResourceQuota[]>;
  /** How long a size or a class that the driver refused is not tried again. */
  readonly infeasibleRetryMs: number;
  /** Pending claims that are cloned from this one, while it is being deleted. */
  readonly clones?: Lookup<readonly V1PersistentVolumeClaim[]>;
  /** Snapshots of the claim that are not ready, while it is being deleted. */
  readonly snapshots?: Lookup<readonly V1VolumeSnapshot[]>;
}

export interface ObservedVolume extends Common {
  readonly volume: Lookup<V1PersistentVolume>;
  readonly reportOn: ReportOn;
  /** Where it is bound. */
  readonly conditions?: ObservedConditions;
  /** The claim that the volume names. */
  readonly claim?: Lookup<V1PersistentVolumeClaim>;
  readonly attachments?: Lookup<readonly V1VolumeAttachment[]>;
  /** Pending claims, for a volume that is available. */
  readonly pendingClaims?: Lookup<readonly V1PersistentVolumeClaim[]>;
  readonly driver?: ObservedDriver;
}

/** What is reported about a volume that is bound, and what is known of that now. */
export interface ObservedConditions {
  /** Those about the claim, oldest first. */
  readonly events: readonly V1Event[];
  /** Those that are reported as failed. */
  readonly nodes?: readonly { readonly name: string; readonly node: Lookup<V1Node> }[];
  /** Pods that use the claim, where one of its nodes is reported as failed. */
  readonly pods?: Lookup<readonly V1Pod[]>;
  /** Snapshots of the claim that are ready, where its volume is reported as abnormal. */
  readonly snapshots?: Lookup<readonly V1VolumeSnapshot[]>;
}

export interface ObservedAttachment extends Common {
  readonly attachment: Lookup<V1VolumeAttachment>;
  readonly volume?: Lookup<V1PersistentVolume>;
  readonly node?: ObservedNode;
  readonly driver?: ObservedDriver;
}

export interface ObservedPod extends Common {
  readonly pod: Lookup<V1Pod>;
  readonly claims: readonly ObservedClaim[];
  /** Of the pod's volumes to its node. */
  readonly attachments: readonly ObservedAttachment[];
  /** Volumes of the pod that need an attachment and have none. */
  readonly unattached: readonly UnattachedVolume[];
  /** Why it could not be read what is attached, where a volume of the pod needs that: then that nothing is said to be unattached says nothing. */
  readonly unreadAttachments?: string;
}

export interface UnattachedVolume {
  readonly volume: string;
  /** Other nodes that it is attached to, where it may be attached to one at a time. */
  readonly elsewhere: readonly string[];
  /** Pods there that use it, where they could be read. */
  readonly users?: readonly V1Pod[];
}

/** A snapshot or a group snapshot. */
export interface ObservedSnapshot extends Common {
  readonly kind: SnapshotKind;
  readonly snapshot: Lookup<Snapshot>;
  /** Whether the server knows the kind; asked only where the object is missing. */
  readonly isServed?: boolean;
  /** The content that it is bound to, names, or is to get. */
  readonly content?: ObservedContent;
  /** What it is taken of, where it has no content yet. */
  readonly sources?: Lookup<readonly ObservedSource[]>;
  /** The class that it names. */
  readonly snapshotClass?: Lookup<V1VolumeSnapshotClass>;
  /** The default classes, where it names none. */
  readonly defaultClasses?: Lookup<readonly V1VolumeSnapshotClass[]>;
  /** The leases of the snapshot-controller. */
  readonly controller?: Lookup<readonly V1Lease[]>;
  /** The group snapshot that it was taken with. */
  readonly group?: Lookup<Snapshot>;
  /** Claims that wait to be provisioned from it or its members, while it is being deleted. */
  readonly restoring?: Lookup<readonly V1PersistentVolumeClaim[]>;
}

/** The content of a snapshot or a group snapshot. */
export interface ObservedContent extends Common {
  readonly kind: SnapshotKind;
  readonly content: Lookup<Content>;
  readonly isServed?: boolean;
  /** The snapshot that it names. */
  readonly snapshot?: Lookup<Snapshot>;
  readonly contentClass?: Lookup<V1VolumeSnapshotClass>;
  readonly controller?: Lookup<readonly V1Lease[]>;
  readonly driver?: ObservedDriver;
}

/** A claim that a snapshot is taken of, and its volume where it is bound. */
export interface ObservedSource {
  readonly ref: ObjectRef;
  readonly claim: Lookup<V1PersistentVolumeClaim>;
  readonly volume?: Lookup<V1PersistentVolume>;
}

/** A node and what is attached to it. */
export interface ObservedNodeVolumes extends Pick<Common, "ref" | "notes">, Omit<ObservedNode, "name"> {
  readonly attachments: Lookup<readonly V1VolumeAttachment[]>;
}

export interface ObservedNode {
  readonly name: string;
  readonly node: Lookup<V1Node>;
  readonly csiNode: Lookup<V1CSINode>;
}

/** A driver that has to act, and the sidecar that calls it. */
export interface ObservedDriver {
  readonly name: string;
  readonly csiDriver: Lookup<V1CSIDriver>;
  /** Those under whose name the responsible sidecar may lead. */
  readonly leases: Lookup<readonly V1Lease[]>;
  /** What the driver itself answered, where it was asked. */
  readonly answer?: DriverAnswer;
}

export type DriverAnswer =
  | {
      readonly reached: true;
      readonly name: string;
      readonly ready: boolean;
      /** Of the controller service. */
      readonly capabilities: readonly string[];
      readonly nodeCapabilities: readonly string[];
    }
  /** A sentence that says so. */
  | { readonly reached: false; readonly because: string };

/** The data source of a claim. */
export type ObservedDataSource =
  | { readonly kind: "PersistentVolumeClaim"; readonly ref: ObjectRef; readonly claim: Lookup<V1PersistentVolumeClaim> }
  | {
      readonly kind: "VolumeSnapshot";
      readonly ref: ObjectRef;
      readonly snapshot: Lookup<V1VolumeSnapshot>;
      /** Whether the server knows the kind; asked only where the snapshot is missing. */
      readonly isServed?: boolean;
      /** What it waits for, where it is not ready. */
      readonly observed?: ObservedSnapshot;
    }
  | {
      readonly kind: "other";
      readonly named: string;
      readonly group: string;
      readonly sourceKind: string;
      readonly populators: Lookup<readonly V1beta1VolumePopulator[]>;
      /** The claims that populators created to fill a volume for this one. */
      readonly primes?: Lookup<readonly V1PersistentVolumeClaim[]>;
    };
