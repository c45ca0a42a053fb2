export interface VolumeRequest {
  /** `\\?\Volume{guid}\` */
  readonly volumeId: string;
}

export interface TargetPathRequest {
  readonly targetPath: string;
}

export interface ListVolumesOnDiskRequest {
  readonly diskNumber: number;
  /** 0 for all partitions. */
  readonly partitionNumber?: number;
}

export interface ListVolumesOnDiskResponse {
  readonly volumeIds: readonly string[];
}

export interface MountVolumeRequest extends VolumeRequest, TargetPathRequest {}

export type MountVolumeResponse = Readonly<Record<never, never>>;

export interface UnmountVolumeRequest extends VolumeRequest, TargetPathRequest {}

export type UnmountVolumeResponse = Readonly<Record<never, never>>;

export interface IsVolumeFormattedResponse {
  readonly formatted: boolean;
}

export type FormatVolumeResponse = Readonly<Record<never, never>>;

export interface ResizeVolumeRequest extends VolumeRequest {
  /** 0 for as large as the disk allows. */
  readonly sizeBytes: bigint;
}

export interface ResizeVolumeResponse {
  /** False where the partition was left as it is: it is not shrunk, and not grown by less than 100 MiB. */
  readonly resized: boolean;
}

export interface GetVolumeStatsResponse {
  readonly totalBytes: bigint;
  readonly usedBytes: bigint;
}

export interface GetDiskNumberFromVolumeIdResponse {
  readonly diskNumber: number;
}

export interface GetVolumeIdFromTargetPathResponse {
  readonly volumeId: string;
}

export interface GetClosestVolumeIdFromTargetPathResponse {
  readonly volumeId: string;
}

export type WriteVolumeCacheResponse = Readonly<Record<never, never>>;
