import type { OperationParameters } from "../powershell/executor.ts";
import { isSameVolume } from "../volume/volume-id.ts";
import { freeSpace, type SimulatedDisk, type SimulatedPartition, type SimulatedVolume } from "./simulated-disk.ts";
import type { SimulatedDisks } from "./simulated-disks.ts";
import { type SimulatedPart, SimulatedScriptError } from "./simulated-part.ts";
import type { SimulatedReparsePoints } from "./simulated-reparse-points.ts";

const ntfs = 14;

/** Return values of MSFT_Partition's methods. */
const sizeNotSupported = 4097;
const unknownFileSystem = 42009;

interface FoundVolume {
  readonly disk: SimulatedDisk;
  readonly partition: SimulatedPartition;
  readonly volume: SimulatedVolume;
}

/** The volumes on the disks of a simulated host. Those of an offline disk are not there. */
export class SimulatedVolumes implements SimulatedPart {
  readonly #disks: SimulatedDisks;
  readonly #reparsePoints: SimulatedReparsePoints;
  /** The ids of the volumes that were flushed, in order. */
  readonly flushed: string[] = [];

  constructor(disks: SimulatedDisks, reparsePoints: SimulatedReparsePoints) {
    this.#disks = disks;
    this.#reparsePoints = reparsePoints;
  }

  get(volumeId: string): FoundVolume | undefined {
    return this.#all.find(({ volume }) => isSameVolume(volume.uniqueId, volumeId));
  }

  get #all(): readonly FoundVolume[] {
    return this.#disks.all
      .filter(({ isOffline }) => !isOffline)
      .flatMap((disk) => disk.partitions.flatMap((partition) => (partition.volume ? [{ disk, partition, volume: partition.volume }] : [])));
  }

  readonly operations = {
    "volume.list": ({ disk_number = "", partition_number = "" }: OperationParameters) =>
      this.#all
        .filter(({ disk, partition }) => String(disk.number) === disk_number && isWanted(partition, partition_number))
        .map(({ partition, volume }) => ({ partitionNumber: partition.number, uniqueId: volume.uniqueId })),
    "volume.get": ({ volumeID = "" }: OperationParameters) => {
      const found = this.get(volumeID);
      if (!found) return null;
      const { uniqueId, fileSystemType, size, used } = found.volume;
      return { uniqueId, fileSystemType, size: String(size), sizeRemaining: String(size - used) };
    },
    "volume.format": this.#onVolume(({ partition, volume }) => {
      volume.fileSystemType = ntfs;
      volume.size = partition.size;
      volume.used = 0n;
      return { returnValue: 0 };
    }),
    "volume.flush": this.#onVolume(({ volume }) => {
      this.flushed.push(volume.uniqueId);
      return { returnValue: 0 };
    }),
    "volume.partition": ({ volumeID = "" }: OperationParameters) => {
      const found = this.get(volumeID);
      if (!found) return null;
      return { diskNumber: found.disk.number, partitionNumber: found.partition.number, size: String(found.partition.size) };
    },
    "volume.supportedSize": this.#onVolume(({ disk, partition, volume }) => ({
      returnValue: 0,
      sizeMin: String(volume.used),
      sizeMax: String(partition.size + freeSpace(disk)),
    })),
    "volume.resize": this.#onVolume(({ disk, partition, volume }, { size_bytes = "0" }) => {
      const size = BigInt(size_bytes);
      if (volume.fileSystemType === 0) return { returnValue: unknownFileSystem };
      if (size > partition.size + freeSpace(disk)) return { returnValue: sizeNotSupported };
      partition.size = size;
      volume.size = size;
      return { returnValue: 0 };
    }),
    "volume.addMountPoint": this.#onVolume(({ volume }, { mountpath = "" }) => ({
      win32: this.#reparsePoints.addMountPoint(mountpath, volume.uniqueId),
    })),
    "volume.removeMountPoint": ({ mountpath = "" }: OperationParameters) => ({
      win32: this.#reparsePoints.removeMountPoint(mountpath),
    }),
    "volume.byDriveLetter": ({ drivepath = "" }: OperationParameters) => {
      const found = this.#all.find(({ volume }) => volume.driveLetter?.toLowerCase() === drivepath.toLowerCase());
      return found ? { uniqueId: found.volume.uniqueId } : null;
    },
  };

  #onVolume(method: (found: FoundVolume, params: OperationParameters) => unknown) {
    return (params: OperationParameters): unknown => {
      const found = this.get(params.volumeID ?? "");
      if (!found) throw new SimulatedScriptError({ message: "the volume was not found", category: "ObjectNotFound" });
      return method(found, params);
    };
  }
}

function isWanted(partition: SimulatedPartition, wanted: string): boolean {
  return wanted === "" || wanted === "0" || String(partition.number) === wanted;
}
