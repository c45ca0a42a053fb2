import { join } from "node:path";
import type { SnapshotRecord, VolumeRecord } from "../state/records.ts";

/** What a new volume is populated from. */
export type Content =
  | { readonly kind: "empty" }
  | { readonly kind: "snapshot"; readonly snapshot: SnapshotRecord }
  | { readonly kind: "volume"; readonly volume: VolumeRecord };

/**
 * Data that waits in the pending area until the state is written: `commit` as soon as the state is durable, `rollback` if it could
 * not be written. After a crash the next start does the one or the other.
 */
export interface PendingMove {
  commit(): void;
  /** Slow work after the commit, such as removing a large directory. */
  cleanUp(): Promise<void>;
  rollback(): Promise<void>;
}

/** Size and free space of the file system that holds the volumes. */
export interface Space {
  readonly total: bigint;
  readonly available: bigint;
}

/** Where the content of volumes and snapshots is kept. */
export interface Data {
  /** Whether an id chosen by the caller can be used for a volume. */
  isVolumeId(id: string): boolean;
  volumePath(id: string): string;
  snapshotPath(id: string): string;
  createVolume(volume: Pick<VolumeRecord, "id" | "path" | "size" | "accessType">, content: Content): Promise<PendingMove>;
  createSnapshot(
    snapshot: Pick<SnapshotRecord, "id" | "path">,
    volume: VolumeRecord,
    options: { readonly ignoreFailedRead: boolean },
  ): Promise<PendingMove>;
  /** Removes a volume or snapshot; its data is deleted once the move is committed. */
  remove(path: string): Promise<PendingMove>;
  /** Resizes a block volume; a directory has no size. */
  resize(volume: VolumeRecord, size: bigint): Promise<void>;
  /** Whether a volume's data is there. */
  exists(volume: VolumeRecord): boolean;
  /** The time by which {@link isWrittenSince} goes. */
  now(): Promise<bigint>;
  /** Whether a volume was written to at that time or later. */
  isWrittenSince(volume: VolumeRecord, time: bigint): Promise<boolean>;
  space(): Promise<Space | undefined>;
}

/** The path of a volume's data: always below the state directory, even if the state file came from another one. */
export const volumeDataPath = (stateDir: string, id: string): string => join(stateDir, id);

/** The path of a snapshot's data. */
export const snapshotDataPath = (stateDir: string, id: string): string => join(stateDir, `${id}.snap`);

/** Whether an id can be a file name in the state directory: it does not lead out of it and is not the name of another file there. */
export const isDataName = (id: string): boolean => id !== "" && !/[/\0]|^\.|^state\.|\.snap$/.test(id);

const nothing: PendingMove = { commit() {}, cleanUp: async () => {}, rollback: async () => {} };

/** Volumes without data (`--backend=memory`), for tests in which only the calls matter. */
export const memoryData: Data = {
  isVolumeId: () => true,
  volumePath: (id) => `/memory/${id}`,
  snapshotPath: (id) => `/memory/${id}.snap`,
  createVolume: async () => nothing,
  createSnapshot: async () => nothing,
  remove: async () => nothing,
  resize: async () => {},
  exists: () => true,
  now: async () => 0n,
  isWrittenSince: async () => false,
  space: async () => undefined,
};
