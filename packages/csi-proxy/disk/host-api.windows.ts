import { type Logger, silentLogger } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { Executor } from "../powershell/executor.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import { basicPartitions, createBasicPartition } from "./basic-partition.ts";
import { diskIdsOf, queryDeviceIds } from "./device-ids.ts";
import { parseDiskLocation } from "./disk-location.ts";
import { listDisks, queryDisk } from "./disk-record.ts";
import type { DiskHostApi } from "./host-api.ts";
import type { DiskLocation } from "./types.ts";

/** Disks through Windows' storage management classes. */
export function windowsDiskHostApi(executor: Executor, { log = silentLogger }: { readonly log?: Logger } = {}): DiskHostApi {
  const warn = (message: string) => log.info(`Warning: ${message}`);

  const listDiskIds: DiskHostApi["listDiskIds"] = async (options) => {
    const disks = await inContext("failed to list disks: ", listDisks(executor, options));
    const paths = disks.flatMap(({ path }) => path ?? []);
    return diskIdsOf(disks, await queryDeviceIds(executor, paths, options), warn);
  };

  return {
    async listDiskLocations(options) {
      const locations = new Map<number, DiskLocation>();
      for (const { number, location } of await inContext("failed to list disks: ", listDisks(executor, options))) {
        const parsed = parseDiskLocation(location);
        if (!parsed) continue;
        for (const part of parsed.unknownParts) warn(`disk ${number}: "${part}" is no known part of a location`);
        locations.set(number, parsed.location);
      }
      return locations;
    },

    isDiskInitialized: async (diskNumber, options) => (await queryDisk(executor, diskNumber, options)).table,

    async initializeDisk(diskNumber, options) {
      const method = { class: "MSFT_Disk", method: "Initialize", target: `disk ${diskNumber}` };
      const initialized = runMethod(executor, "disk.initialize", { disk_number: String(diskNumber) }, method, options);
      await inContext(`failed to initialize disk ${diskNumber}: `, initialized);
    },

    basicPartitionsExist: async (diskNumber, options) => (await basicPartitions(executor, diskNumber, options)).length > 0,

    createBasicPartition: (diskNumber, table, options) => createBasicPartition(executor, diskNumber, table, options),

    async rescan(options) {
      await inContext("error updating host storage cache output: ", runOperation(executor, "disk.rescan", {}, options));
    },

    listDiskIds,

    getDiskStats: async (diskNumber, options) => (await queryDisk(executor, diskNumber, options)).size,

    async setDiskState(diskNumber, isOnline, options) {
      const method = { class: "MSFT_Disk", method: isOnline ? "Online" : "Offline", target: `disk ${diskNumber}` };
      const params = { disk_number: String(diskNumber), is_online: String(isOnline) };
      const state = isOnline ? "online" : "offline";
      await inContext(`failed to set disk ${diskNumber} ${state}: `, runMethod(executor, "disk.setOnline", params, method, options));
    },

    getDiskState: async (diskNumber, options) => (await queryDisk(executor, diskNumber, options)).isOnline,

    async getDiskNumberByName(page83, options) {
      // Disks that could not be read have an empty identifier: it names none of them.
      const disks = page83 === "" ? [] : await listDiskIds(options);
      for (const [number, ids] of disks) if (ids.page83 === page83) return number;
      throw new CsiProxyError("NotFound", `could not find disk with Page83 ID ${page83}: not found`);
    },
  };
}
