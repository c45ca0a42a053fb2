import type { DiskLocation } from "../disk/types.ts";
import { parseDiskNumber } from "./disk-number.ts";
import type { DiskHandler } from "./library.ts";
import type { ServiceOf } from "./services.ts";
import type { GroupMethods, VersionedMethods } from "./versioned-methods.ts";

type CurrentMethods = VersionedMethods<ServiceOf<"disk", "v1">>;

/** The disk group. Until v1beta2 disk numbers were strings, and whether a disk is online was its attach state. */
export function diskMethods(disk: DiskHandler): GroupMethods<"disk"> {
  const current = currentMethods(disk);
  const ofBeta = {
    async listDiskIDs(_, options) {
      const { diskIds } = await disk.listDiskIds({}, options);
      return { diskIDs: byNumber(diskIds, ({ page83, serialNumber }) => ({ identifiers: { page83, serialNumber } })) };
    },
    async diskStats({ diskID }, options) {
      const { total_bytes } = await current.getDiskStats({ disk_number: forwardedNumber("DiskStats", diskID) }, options);
      return { diskSize: total_bytes };
    },
  } satisfies Partial<VersionedMethods<ServiceOf<"disk", "v1beta1">>>;
  return {
    v1alpha1: {
      ...firstMethods(current, "v1alpha1"),
      async getDiskNumberByName({ disk_name }, options) {
        const { diskNumber } = await disk.getDiskNumberByName({ diskName: disk_name }, options);
        return { disk_number: String(diskNumber) };
      },
    },
    v1beta1: { ...firstMethods(current, "v1beta1"), ...ofBeta },
    v1beta2: {
      ...firstMethods(current, "v1beta2"),
      ...ofBeta,
      async setAttachState({ diskID, isOnline }, options) {
        return current.setDiskState({ disk_number: forwardedNumber("SetAttachState", diskID), is_online: isOnline }, options);
      },
      async getAttachState({ diskID }, options) {
        const { is_online } = await current.getDiskState({ disk_number: forwardedNumber("GetAttachState", diskID) }, options);
        return { isOnline: is_online };
      },
    },
    v1beta3: current,
    v1: current,
  };
}

/** What the old versions have in common. */
function firstMethods(current: CurrentMethods, version: "v1alpha1" | "v1beta1" | "v1beta2") {
  return {
    listDiskLocations: current.listDiskLocations,
    rescan: current.rescan,
    async partitionDisk({ diskID }, options) {
      const disk_number = parseDiskNumber(diskID, `Failed to convert ${version}.PartitionDiskRequest.DiskID to uint32: `);
      return current.partitionDisk({ disk_number }, options);
    },
  } satisfies Partial<VersionedMethods<ServiceOf<"disk", typeof version>>>;
}

const forwardedNumber = (method: string, diskID: string): number =>
  parseDiskNumber(diskID, `Failed to format ${method}Request.DiskID with err: `);

function currentMethods(disk: DiskHandler): CurrentMethods {
  return {
    async listDiskLocations(_, options) {
      const { diskLocations } = await disk.listDiskLocations({}, options);
      const toMessage = ({ adapter, bus, target, lunId }: DiskLocation) => ({ Adapter: adapter, Bus: bus, Target: target, LUNID: lunId });
      return { disk_locations: byNumber(diskLocations, toMessage) };
    },
    async partitionDisk({ disk_number }, options) {
      await disk.partitionDisk({ diskNumber: disk_number }, options);
      return {};
    },
    async rescan(_, options) {
      await disk.rescan({}, options);
      return {};
    },
    async listDiskIDs(_, options) {
      const { diskIds } = await disk.listDiskIds({}, options);
      return { diskIDs: byNumber(diskIds, ({ page83, serialNumber }) => ({ page83, serial_number: serialNumber })) };
    },
    async getDiskStats({ disk_number }, options) {
      const { totalBytes } = await disk.getDiskStats({ diskNumber: disk_number }, options);
      return { total_bytes: totalBytes };
    },
    async setDiskState({ disk_number, is_online }, options) {
      await disk.setDiskState({ diskNumber: disk_number, isOnline: is_online }, options);
      return {};
    },
    async getDiskState({ disk_number }, options) {
      const { isOnline } = await disk.getDiskState({ diskNumber: disk_number }, options);
      return { is_online: isOnline };
    },
  };
}

/** A map field by disk number. Its keys are the same object keys whether the version declares them as numbers or as strings. */
function byNumber<T, U>(disks: ReadonlyMap<number, T>, convert: (disk: T) => U): Record<number, U> {
  return Object.fromEntries([...disks].map(([number, disk]) => [number, convert(disk)]));
}
