import type { V1CSINode, V1PersistentVolume, V1PersistentVolumeClaim, V1VolumeAttachment } from "@csi-sidecars/kube";

/** What a driver says it has: volume ids, each with the node ids it is published to. */
export type StorageLook = ReadonlyMap<string, readonly string[]>;

/**
 * What an audit compares. The cluster is read between two looks at the storage: what is only under way differs in one of them,
 * what is left over differs in both.
 */
export interface AuditFacts {
  readonly driver: string;
  /** Milliseconds since the epoch, of the last look. */
  readonly now: number;
  /** How long the first look was before the cluster was read. */
  readonly apartMs: number;
  readonly before: StorageLook;
  readonly after: StorageLook;
  /** All of the cluster: those of other drivers tell that a volume is not without owner. */
  readonly volumes: readonly V1PersistentVolume[];
  /** Those that the driver may be making volumes for; absent where they could not be read. */
  readonly pendingClaims?: readonly V1PersistentVolumeClaim[];
  /** Absent where the driver does not say where volumes are published, or they could not be read. */
  readonly attachments?: readonly V1VolumeAttachment[];
  readonly csiNodes?: readonly V1CSINode[];
}

/** Which volumes of the storage count: a storage may serve others too. */
export interface AuditFilter {
  /** Only ids that begin with this, whole or after their last separator. */
  readonly prefix: string;
  /** Ids to leave out; `*` stands for any text. */
  readonly ignore: readonly string[];
}
