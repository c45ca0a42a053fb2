import type { SnapshotRecord, VolumeRecord } from "../state/records.ts";

/** How the content of a new volume comes into being. */
export type Content =
  | { readonly kind: "empty" }
  | { readonly kind: "snapshot"; readonly snapshot: SnapshotRecord }
  | { readonly kind: "volume"; readonly volume: VolumeRecord };

/**
 * Data on its way in or out. The state decides which of the two it is: `settle` in the moment in which the state is durable,
 * `undo` when it could not be written. After a crash the next start does the one or the other.
 */
export interface Move {
  settle(): void;
  /** What may take its time afterwards. */
  finish(): Promise<void>;
  undo(): Promise<void>;
}

/** The file system's view of the place where volumes are kept. */
export interface Space {
  readonly total: bigint;
  readonly available: bigint;
}

/** Where the content of volumes and snapshots is kept. */
export interface Data {
  /** Whether an id that somebody else chose can be that of a volume. */
  isVolumeId(id: string): boolean;
  volumePath(id: string): string;
  snapshotPath(id: string): string;
  createVolume(volume: Pick<VolumeRecord, "id" | "path" | "size" | "accessType">, content: Content): Promise<Move>;
  createSnapshot(
    snapshot: Pick<SnapshotRecord, "id" | "path">,
    volume: VolumeRecord,
    options: { readonly ignoreFailedRead: boolean },
  ): Promise<Move>;
  /** Takes a volume or snapshot away from its place; settled, it is gone for good. */
  remove(path: string): Promise<Move>;
  /** Gives a block volume another size; a directory has none. */
  resize(volume: VolumeRecord, size: bigint): Promise<void>;
  /** Whether a volume's content is in its place. */
  exists(volume: VolumeRecord): boolean;
  space(): Promise<Space | undefined>;
}
