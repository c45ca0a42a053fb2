import type { OperationParameters } from "../powershell/executor.ts";
import { page83Descriptor } from "./page83-descriptor.ts";
import { freeSpace, mebibyte, type SimulatedDisk } from "./simulated-disk.ts";
import { type SimulatedPart, SimulatedScriptError } from "./simulated-part.ts";

const reservedSize = 16n * mebibyte;
const reservedType = "{e3c9e316-0b5c-4db8-817d-f92df00215ae}";

/** The return values of the methods of MSFT_Disk that the simulation knows. */
const returnValue = { ok: 0, notEnoughCapacity: 40000, notInitialized: 41000, alreadyInitialized: 41001, invalidForType: 41006 } as const;

/** What is known of a disk when it is attached. */
export interface AttachedDisk {
  readonly size: bigint;
  readonly page83?: string;
  readonly descriptor?: SimulatedDisk["descriptor"];
  readonly serialNumber?: string | null;
  readonly location?: string | null;
  readonly path?: string | null;
  readonly partitionStyle?: 0 | 1 | 2;
  readonly isOffline?: boolean;
}

/** The disks of a simulated host. */
export class SimulatedDisks implements SimulatedPart {
  readonly #disks = new Map<number, SimulatedDisk>();
  #nextVolume = 1;

  /** Attaches a disk, as a cloud does: offline and without a partition table, unless told otherwise. */
  attach({ size, page83 = "", ...disk }: AttachedDisk): SimulatedDisk {
    let number = 0;
    while (this.#disks.has(number)) number++;
    const attached: SimulatedDisk = {
      number,
      path: `\\\\?\\scsi#disk&ven_sim#${number}#{53f56307-b6bf-11d0-94f2-00a0c91efb8b}`,
      serialNumber: `SIM${number}`,
      location: `PCI Slot 3 : Adapter 0 : Port 0 : Target 0 : LUN ${number}`,
      descriptor: page83Descriptor(page83),
      partitionStyle: 0,
      isOffline: true,
      ...disk,
      size,
      deviceSize: size,
      partitions: [],
    };
    this.#disks.set(number, attached);
    return attached;
  }

  detach(number: number): void {
    this.#disks.delete(number);
  }

  /** Makes the device larger. Windows sees it after a rescan. */
  grow(number: number, size: bigint): void {
    this.get(number)!.deviceSize = size;
  }

  get(number: number): SimulatedDisk | undefined {
    return this.#disks.get(number);
  }

  get all(): readonly SimulatedDisk[] {
    return [...this.#disks.values()];
  }

  readonly operations = {
    "disk.list": ({ disk_number = "" }: OperationParameters) =>
      this.all
        .filter(({ number }) => disk_number === "" || String(number) === disk_number)
        .map(({ number, path, serialNumber, location, partitionStyle, isOffline, size }) => ({
          ...{ number, path, serialNumber, location, partitionStyle, isOffline },
          size: String(size),
        })),
    "disk.deviceIds": ({ disk_paths = "[]" }: OperationParameters) =>
      (JSON.parse(disk_paths) as string[]).map((path) => {
        const disk = this.all.find((disk) => disk.path === path);
        if (!disk) return { path, deviceNumber: null, descriptor: null, error: "The system cannot find the file specified." };
        if ("error" in disk.descriptor) return { path, deviceNumber: disk.number, descriptor: null, error: disk.descriptor.error };
        return { path, deviceNumber: disk.number, descriptor: Buffer.from(disk.descriptor).toString("base64"), error: null };
      }),
    "disk.rescan": () => {
      for (const disk of this.all) disk.size = disk.deviceSize;
      return null;
    },
    "disk.initialize": this.#onDisk((disk) => {
      if (disk.partitionStyle !== 0) return returnValue.alreadyInitialized;
      disk.partitionStyle = 2;
      disk.partitions.push({ number: 1, gptType: reservedType, size: reservedSize, isOnline: true });
      return returnValue.ok;
    }),
    "disk.partitions": ({ disk_number = "" }: OperationParameters) =>
      (this.get(Number(disk_number))?.partitions ?? []).map(({ number, gptType, size }) => ({
        partitionNumber: number,
        gptType,
        size: String(size),
      })),
    "disk.createPartition": this.#onDisk((disk, { gpt_type = "" }) => {
      if (disk.partitionStyle === 0) return returnValue.notInitialized;
      if ((disk.partitionStyle === 2) !== (gpt_type !== "")) return returnValue.invalidForType;
      const free = freeSpace(disk);
      if (free < mebibyte) return returnValue.notEnoughCapacity;
      const number = disk.partitions.length + 1;
      const volume = { uniqueId: volumeId(this.#nextVolume++), fileSystemType: 0, size: 0n, used: 0n };
      disk.partitions.push({ number, gptType: gpt_type || null, size: free, isOnline: false, volume });
      return returnValue.ok;
    }),
    "disk.refresh": this.#onDisk(() => returnValue.ok),
    "disk.setOnline": this.#onDisk((disk, { is_online = "" }) => {
      disk.isOffline = is_online !== "true";
      return returnValue.ok;
    }),
    "partition.online": this.#onDisk((disk, { partition_number = "" }) => {
      const partition = disk.partitions.find(({ number }) => String(number) === partition_number);
      if (!partition) throw notFound("partition");
      partition.isOnline = true;
      return returnValue.ok;
    }),
  };

  #onDisk(method: (disk: SimulatedDisk, params: OperationParameters) => number) {
    return (params: OperationParameters): unknown => {
      const disk = this.get(Number(params.disk_number));
      if (!disk) throw notFound("disk");
      return { returnValue: method(disk, params) };
    };
  }
}

function notFound(what: string): SimulatedScriptError {
  return new SimulatedScriptError({ message: `the ${what} was not found`, category: "ObjectNotFound" });
}

function volumeId(ordinal: number): string {
  return `\\\\?\\Volume{5e5e5e5e-0000-4000-8000-${String(ordinal).padStart(12, "0")}}\\`;
}
