/** Where a disk is attached, as Windows' storage stack counts: each part a decimal number, or empty. */
export interface DiskLocation {
  readonly adapter: string;
  readonly bus: string;
  readonly target: string;
  readonly lunId: string;
}

/** By what a cloud or a storage array names a disk. */
export interface DiskIds {
  /** The SCSI identifier of vital product data page 0x83; empty where the disk has none. */
  readonly page83: string;
  readonly serialNumber: string;
}

export type ListDiskLocationsRequest = Readonly<Record<never, never>>;

export interface ListDiskLocationsResponse {
  /** By disk number. */
  readonly diskLocations: ReadonlyMap<number, DiskLocation>;
}

export interface PartitionDiskRequest {
  readonly diskNumber: number;
}

export type PartitionDiskResponse = Readonly<Record<never, never>>;

export type RescanRequest = Readonly<Record<never, never>>;

export type RescanResponse = Readonly<Record<never, never>>;

export type ListDiskIdsRequest = Readonly<Record<never, never>>;

export interface ListDiskIdsResponse {
  /** By disk number. */
  readonly diskIds: ReadonlyMap<number, DiskIds>;
}

export interface GetDiskStatsRequest {
  readonly diskNumber: number;
}

export interface GetDiskStatsResponse {
  readonly totalBytes: bigint;
}

export interface SetDiskStateRequest {
  readonly diskNumber: number;
  readonly isOnline: boolean;
}

export type SetDiskStateResponse = Readonly<Record<never, never>>;

export interface GetDiskStateRequest {
  readonly diskNumber: number;
}

export interface GetDiskStateResponse {
  readonly isOnline: boolean;
}

export interface GetDiskNumberByNameRequest {
  /** The page 83 identifier, compared exactly. */
  readonly diskName: string;
}

export interface GetDiskNumberByNameResponse {
  readonly diskNumber: number;
}
