import { type Logger, silentLogger } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { Executor } from "../powershell/executor.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import { basicPartitions, createBasicPartition } from "./basic-partition.ts";
import { diskIdsOf, queryDeviceIds } from "./device-ids.ts";
import { parseDiskLocation } from "./disk-location.ts";
import { listDisks, partitionTable, queryDisk } from "./disk-record.ts";
import type { DiskHostApi } from "./host-api.ts";
import type { DiskLocation } from "./types.ts";

/** Disks through Windows' storage management classes. */
export function windowsDiskHostApi(executor: Executor, { log = silentLogger }: { readonly log?: Logger } = {}): DiskHostApi {
  const warn = (message: string) => log.info(`Warning: ${message}`);
  /** Names in locations that were warned of: most disks have the same ones, and drivers list them often. */
  const unknownNames = new Set<string>();

  const listDiskIds: DiskHostApi["listDiskIds"] = async (options) => {
    const disks = await listDisks(executor, options);
    const paths = disks.flatMap(({ path }) => path ?? []);
    return diskIdsOf(disks, await queryDeviceIds(executor, paths, options), warn);
  };

  return {
    async listDiskLocations(options) {
      const locations = new Map<number, DiskLocation>();
      for (const { number, location } of await listDisks(executor, options)) {
        const parsed = parseDiskLocation(location);
        if (!parsed) continue;
        for (const name of parsed.unknownNames.filter((name) => !unknownNames.has(name))) {
          unknownNames.add(name);
          warn(`"${name}" in the location of disk ${number} is not known and ignored, here and on other disks`);
        }
        locations.set(number, parsed.location);
      }
      return locations;
    },

    isDiskInitialized: (diskNumber, options) => queryDisk(executor, diskNumber, partitionTable, options),

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

    getDiskStats: (diskNumber, options) => queryDisk(executor, diskNumber, (disk) => disk.bigint("size"), options),

    async setDiskState(diskNumber, isOnline, options) {
      const method = { class: "MSFT_Disk", method: isOnline ? "Online" : "Offline", target: `disk ${diskNumber}` };
      const params = { disk_number: String(diskNumber), is_online: String(isOnline) };
      const state = isOnline ? "online" : "offline";
      await inContext(`failed to set disk ${diskNumber} ${state}: `, runMethod(executor, "disk.setOnline", params, method, options));
    },

    getDiskState: (diskNumber, options) => queryDisk(executor, diskNumber, (disk) => !disk.boolean("isOffline"), options),

    async getDiskNumberByName(page83, options) {
      // Disks that could not be read have an empty identifier: it names none of them.
      const disks = page83 === "" ? [] : await listDiskIds(options);
      for (const [number, ids] of disks) if (ids.page83 === page83) return number;
      throw new CsiProxyError("NotFound", `could not find disk with Page83 ID ${page83}: not found`);
    },
  };
}
