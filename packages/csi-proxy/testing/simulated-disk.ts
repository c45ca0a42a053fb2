export const mebibyte = 2n ** 20n;

export interface SimulatedVolume {
  readonly uniqueId: string;
  /** 0 for a volume without a file system, 14 for NTFS. */
  fileSystemType: number;
  size: bigint;
  used: bigint;
  driveLetter?: string;
}

export interface SimulatedPartition {
  readonly number: number;
  readonly gptType: string | null;
  size: bigint;
  isOnline: boolean;
  readonly volume?: SimulatedVolume;
}

/** A disk of a simulated host. Tests may change what it holds. */
export interface SimulatedDisk {
  readonly number: number;
  readonly path: string | null;
  readonly serialNumber: string | null;
  readonly location: string | null;
  /** Its STORAGE_DEVICE_ID_DESCRIPTOR, or why the device does not answer. */
  readonly descriptor: Uint8Array | { readonly error: string };
  /** 0 without a partition table, 1 for MBR, 2 for GPT. */
  partitionStyle: number;
  isOffline: boolean;
  /** What Windows knows, and what the device has: they differ until a rescan. */
  size: bigint;
  deviceSize: bigint;
  readonly partitions: SimulatedPartition[];
}

/** What no partition takes; the first and the last MiB belong to the partition table. */
export function freeSpace({ size, partitions }: SimulatedDisk): bigint {
  return partitions.reduce((free, partition) => free - partition.size, size - 2n * mebibyte);
}
