import { parseDiskNumber } from "./disk-number.ts";
import type { DiskHandler } from "./library.ts";
import type { ServiceOf } from "./services.ts";
import type { GroupMethods, VersionedMethods } from "./versioned-methods.ts";

type Old = "v1alpha1" | "v1beta1" | "v1beta2";

/** The disk group. Until v1beta2 disk numbers were strings, and the state of a disk was called its attach state. */
export function diskMethods(disk: DiskHandler): GroupMethods<"disk"> {
  const current: VersionedMethods<ServiceOf<"disk", "v1">> = {
    async listDiskLocations(_, options) {
      const { diskLocations } = await disk.listDiskLocations({}, options);
      return { disk_locations: byNumber(diskLocations, toLocation) };
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

  const since = {
    v1alpha1: (version: Old): Pick<VersionedMethods<ServiceOf<"disk", Old>>, "listDiskLocations" | "partitionDisk" | "rescan"> => ({
      listDiskLocations: current.listDiskLocations,
      rescan: current.rescan,
      async partitionDisk({ diskID }, options) {
        const disk_number = parseDiskNumber(diskID, `Failed to convert ${version}.PartitionDiskRequest.DiskID to uint32: `);
        return current.partitionDisk({ disk_number }, options);
      },
    }),
    v1beta1: {
      async listDiskIDs(_, options) {
        const { diskIds } = await disk.listDiskIds({}, options);
        return { diskIDs: byNumber(diskIds, ({ page83, serialNumber }) => ({ identifiers: { page83, serialNumber } })) };
      },
      async diskStats({ diskID }, options) {
        const { total_bytes } = await current.getDiskStats({ disk_number: forwardedNumber("DiskStats", diskID) }, options);
        return { diskSize: total_bytes };
      },
    } satisfies Pick<VersionedMethods<ServiceOf<"disk", "v1beta1">>, "listDiskIDs" | "diskStats">,
  };

  return {
    v1alpha1: {
      ...since.v1alpha1("v1alpha1"),
      async getDiskNumberByName({ disk_name }, options) {
        const { diskNumber } = await disk.getDiskNumberByName({ diskName: disk_name }, options);
        return { disk_number: String(diskNumber) };
      },
    },
    v1beta1: { ...since.v1alpha1("v1beta1"), ...since.v1beta1 },
    v1beta2: {
      ...since.v1alpha1("v1beta2"),
      ...since.v1beta1,
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

const forwardedNumber = (method: string, diskID: string): number =>
  parseDiskNumber(diskID, `Failed to format ${method}Request.DiskID with err: `);

/** A map field by disk number. Its keys are the same object keys whether the version declares them as numbers or as strings. */
function byNumber<T, U>(disks: ReadonlyMap<number, T>, convert: (disk: T) => U): Record<number, U> {
  return Object.fromEntries([...disks].map(([number, disk]) => [number, convert(disk)]));
}

const toLocation = ({ adapter, bus, target, lunId }: { adapter: string; bus: string; target: string; lunId: string }) => ({
  Adapter: adapter,
  Bus: bus,
  Target: target,
  LUNID: lunId,
});
