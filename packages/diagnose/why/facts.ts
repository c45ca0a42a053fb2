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
  V1StorageClass,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
  V1VolumeSnapshot,
} from "@csi-sidecars/kube";
import type { Look } from "./look.ts";

/** What was seen of the cluster. Members are absent where nothing depends on them. */
export type Facts = ClaimFacts | VolumeFacts | AttachmentFacts | PodFacts;

interface Common {
  readonly ref: ObjectRef;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly unseen: readonly string[];
  /** Those about the object, oldest first. */
  readonly events: readonly V1Event[];
}

export interface ClaimFacts extends Common {
  readonly kind: "claim";
  readonly claim: Look<V1PersistentVolumeClaim>;
  /** The class that the claim names. */
  readonly storageClass?: Look<V1StorageClass>;
  /** The default classes, where the claim names none. */
  readonly defaultClasses?: Look<readonly V1StorageClass[]>;
  /** Pods that use the claim and have not ended. */
  readonly pods?: Look<readonly V1Pod[]>;
  readonly selectedNode?: NodeFacts;
  readonly actor?: Actor;
  /** The volume that the claim names. */
  readonly volume?: Look<V1PersistentVolume>;
  /** Volumes that nobody has, for a claim that no provisioner serves. */
  readonly volumes?: Look<readonly V1PersistentVolume[]>;
  readonly source?: SourceFacts;
  readonly attributesClass?: Look<V1VolumeAttributesClass>;
  /** Pending claims that are cloned from this one, while it is being deleted. */
  readonly clones?: Look<readonly V1PersistentVolumeClaim[]>;
}

export interface VolumeFacts extends Common {
  readonly kind: "volume";
  readonly volume: Look<V1PersistentVolume>;
  /** The claim that the volume names. */
  readonly claim?: Look<V1PersistentVolumeClaim>;
  readonly attachments?: Look<readonly V1VolumeAttachment[]>;
  /** Pending claims, for a volume that nobody has. */
  readonly pendingClaims?: Look<readonly V1PersistentVolumeClaim[]>;
  readonly actor?: Actor;
}

export interface AttachmentFacts extends Common {
  readonly kind: "attachment";
  readonly attachment: Look<V1VolumeAttachment>;
  readonly volume?: Look<V1PersistentVolume>;
  readonly node?: NodeFacts;
  readonly actor?: Actor;
}

export interface PodFacts extends Common {
  readonly kind: "pod";
  readonly pod: Look<V1Pod>;
  readonly claims: readonly ClaimFacts[];
  /** Of the pod's volumes to its node. */
  readonly attachments: readonly AttachmentFacts[];
  /** Volumes of the pod that need an attachment and have none, with the other nodes that they are attached to. */
  readonly unattached: readonly { readonly volume: string; readonly elsewhere: readonly string[] }[];
}

export interface NodeFacts {
  readonly name: string;
  readonly node: Look<V1Node>;
  readonly csiNode: Look<V1CSINode>;
}

/** Who should act on the volumes of a driver. */
export interface Actor {
  readonly driver: string;
  readonly csiDriver: Look<V1CSIDriver>;
  /** Those with a name under which the sidecar that is asked for may lead. */
  readonly leases: Look<readonly V1Lease[]>;
  /** The driver itself, where it was asked. */
  readonly answer?: DriverAnswer;
}

export type DriverAnswer =
  | { readonly reached: true; readonly name: string; readonly ready: boolean; readonly capabilities: readonly string[] }
  | { readonly reached: false; readonly because: string };

/** What a claim is to be filled from. */
export type SourceFacts =
  | { readonly kind: "PersistentVolumeClaim"; readonly ref: ObjectRef; readonly claim: Look<V1PersistentVolumeClaim> }
  | { readonly kind: "VolumeSnapshot"; readonly ref: ObjectRef; readonly snapshot: Look<V1VolumeSnapshot> }
  | {
      readonly kind: "other";
      readonly named: string;
      readonly group: string;
      readonly sourceKind: string;
      readonly populators: Look<readonly V1beta1VolumePopulator[]>;
    };
