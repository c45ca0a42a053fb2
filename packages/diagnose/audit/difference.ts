/** Something that storage and cluster disagree on. Fields may be added, never renamed: it is printed as JSON too. */
export interface Difference {
  readonly kind:
    | "volume without PV"
    | "PV without volume"
    | "published without VolumeAttachment"
    | "VolumeAttachment not published"
    | "snapshot without content"
    | "content without snapshot";
  /** Of a snapshot the volume that it is one of; empty where that is not known. */
  readonly volume: string;
  readonly snapshot?: string;
  /** `PersistentVolume pvc-1`, `VolumeAttachment csi-1` */
  readonly object?: string;
  readonly node?: string;
  /** A quantity, as `10Gi`, where storage or cluster say it. */
  readonly size?: string;
  /** When the object was created, or the storage was first seen to have the volume. RFC 3339. */
  readonly since?: string;
  readonly note?: string;
}
