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
} from "@csi-sidecars/kube";
import type { Lookup } from "../../access/read-cluster.ts";
import type { ResponsibleFor } from "../responsible-sidecar.ts";

/** What was read for every object. Members of the interfaces below are absent where nothing depends on them. */
interface Common {
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly responsibleFor: ResponsibleFor;
  /** What could not be read, and why. */
  readonly notes: readonly string[];
  /** Those about the object, oldest first. */
  readonly events: readonly V1Event[];
}

export interface ObservedClaim extends Common {
  readonly claim: Lookup<V1PersistentVolumeClaim>;
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
}

export interface ObservedVolume extends Common {
  readonly volume: Lookup<V1PersistentVolume>;
  /** The claim that the volume names. */
  readonly claim?: Lookup<V1PersistentVolumeClaim>;
  readonly attachments?: Lookup<readonly V1VolumeAttachment[]>;
  /** Pending claims, for a volume that is available. */
  readonly pendingClaims?: Lookup<readonly V1PersistentVolumeClaim[]>;
  readonly driver?: ObservedDriver;
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
  /** Volumes of the pod that need an attachment and have none, with the other nodes that they are attached to. */
  readonly unattached: readonly { readonly volume: string; readonly elsewhere: readonly string[] }[];
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
  | { readonly reached: false; readonly because: string };

/** The data source of a claim. */
export type ObservedDataSource =
  | { readonly kind: "PersistentVolumeClaim"; readonly ref: ObjectRef; readonly claim: Lookup<V1PersistentVolumeClaim> }
  | { readonly kind: "VolumeSnapshot"; readonly ref: ObjectRef; readonly snapshot: Lookup<V1VolumeSnapshot> }
  | {
      readonly kind: "other";
      readonly named: string;
      readonly group: string;
      readonly sourceKind: string;
      readonly populators: Lookup<readonly V1beta1VolumePopulator[]>;
    };
