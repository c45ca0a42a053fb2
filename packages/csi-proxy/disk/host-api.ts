import type { OperationOptions } from "../powershell/executor.ts";
import type { DiskIds, DiskLocation } from "./types.ts";

/** How the partitions of a disk are described on it. */
export type PartitionTable = "gpt" | "mbr";

/** What the `Disk` handler asks of the operating system. Every method takes the options that it must hand on to the executor. */
export interface DiskHostApi {
  listDiskLocations(options?: OperationOptions): Promise<ReadonlyMap<number, DiskLocation>>;
  /** The partition table of the disk, or `false` for a disk without one. */
  isDiskInitialized(diskNumber: number, options?: OperationOptions): Promise<PartitionTable | false>;
  /** Writes an empty GPT. */
  initializeDisk(diskNumber: number, options?: OperationOptions): Promise<void>;
  /** Whether there is any partition but Microsoft's reserved one. */
  basicPartitionsExist(diskNumber: number, options?: OperationOptions): Promise<boolean>;
  /** Makes one partition of all free space, and brings it online. */
  createBasicPartition(diskNumber: number, table: PartitionTable, options?: OperationOptions): Promise<void>;
  rescan(options?: OperationOptions): Promise<void>;
  listDiskIds(options?: OperationOptions): Promise<ReadonlyMap<number, DiskIds>>;
  getDiskStats(diskNumber: number, options?: OperationOptions): Promise<bigint>;
  setDiskState(diskNumber: number, isOnline: boolean, options?: OperationOptions): Promise<void>;
  /** Whether the disk is online. */
  getDiskState(diskNumber: number, options?: OperationOptions): Promise<boolean>;
  /** The number of the disk with this page 83 identifier. */
  getDiskNumberByName(page83: string, options?: OperationOptions): Promise<number>;
}
