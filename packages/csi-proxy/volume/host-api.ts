import type { OperationOptions } from "../powershell/executor.ts";
import type { GetVolumeStatsResponse } from "./types.ts";

/** What the `Volume` handler asks of the operating system. Every method takes the options that it must hand on to the executor. */
export interface VolumeHostApi {
  /** In the order of the partitions; 0 for all of them. A disk that is not there has no volumes. */
  listVolumesOnDisk(diskNumber: number, partitionNumber: number, options?: OperationOptions): Promise<readonly string[]>;
  /** Succeeds where the volume is mounted there already. The directory must exist and be empty. */
  mountVolume(volumeId: string, targetPath: string, options?: OperationOptions): Promise<void>;
  /** Writes the volume's cache first. The directory stays. */
  unmountVolume(volumeId: string, targetPath: string, options?: OperationOptions): Promise<void>;
  isVolumeFormatted(volumeId: string, options?: OperationOptions): Promise<boolean>;
  formatVolume(volumeId: string, options?: OperationOptions): Promise<void>;
  /** Whether the partition was resized. 0 is as large as the disk allows. */
  resizeVolume(volumeId: string, sizeBytes: bigint, options?: OperationOptions): Promise<boolean>;
  getVolumeStats(volumeId: string, options?: OperationOptions): Promise<GetVolumeStatsResponse>;
  getDiskNumberFromVolumeId(volumeId: string, options?: OperationOptions): Promise<number>;
  /** The volume that is mounted at the path. */
  getVolumeIdFromTargetPath(targetPath: string, options?: OperationOptions): Promise<string>;
  /** The volume that holds the path. */
  getClosestVolumeIdFromTargetPath(targetPath: string, options?: OperationOptions): Promise<string>;
  writeVolumeCache(volumeId: string, options?: OperationOptions): Promise<void>;
}
