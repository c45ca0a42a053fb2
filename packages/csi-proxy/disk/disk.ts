import type { CallOptions } from "../call-options.ts";
import { checkUint32 } from "../check-uint32.ts";
import { type HandlerOptions, Requests } from "../requests.ts";
import type { DiskHostApi } from "./host-api.ts";
import type * as types from "./types.ts";

/** Disks of the node: finds the one that was attached for a volume, partitions it, and brings it online and offline. */
export class Disk {
  readonly #host: DiskHostApi;
  readonly #requests: Requests;

  constructor(host: DiskHostApi, options: HandlerOptions = {}) {
    this.#host = host;
    this.#requests = new Requests("disk", options);
  }

  listDiskLocations(_request: types.ListDiskLocationsRequest = {}, options?: CallOptions): Promise<types.ListDiskLocationsResponse> {
    return this.#requests.read({ method: "ListDiskLocations", v: 2 }, options, async (options) => ({
      diskLocations: await this.#host.listDiskLocations(options),
    }));
  }

  /** Gives a disk one partition for all its space. A disk that has one is left as it is, whatever its partition table. */
  partitionDisk({ diskNumber }: types.PartitionDiskRequest, options?: CallOptions): Promise<types.PartitionDiskResponse> {
    const request = { method: "PartitionDisk", v: 2, fields: { diskNumber } };
    return this.#requests.change(request, `disk:${diskNumber}`, options, async (options) => {
      checkUint32("disk number", diskNumber);
      const table = await this.#host.isDiskInitialized(diskNumber, options);
      if (!table) await this.#host.initializeDisk(diskNumber, options);
      const isPartitioned = await this.#host.basicPartitionsExist(diskNumber, options);
      if (!isPartitioned) await this.#host.createBasicPartition(diskNumber, table || "gpt", options);
      return {};
    });
  }

  /** Makes Windows look for new disks and new sizes. */
  rescan(_request: types.RescanRequest = {}, options?: CallOptions): Promise<types.RescanResponse> {
    return this.#requests.read({ method: "Rescan", v: 2 }, options, async (options) => {
      await this.#host.rescan(options);
      return {};
    });
  }

  listDiskIds(_request: types.ListDiskIdsRequest = {}, options?: CallOptions): Promise<types.ListDiskIdsResponse> {
    return this.#requests.read({ method: "ListDiskIDs", v: 4 }, options, async (options) => ({
      diskIds: await this.#host.listDiskIds(options),
    }));
  }

  getDiskStats({ diskNumber }: types.GetDiskStatsRequest, options?: CallOptions): Promise<types.GetDiskStatsResponse> {
    return this.#requests.read({ method: "GetDiskStats", v: 2, fields: { diskNumber } }, options, async (options) => {
      checkUint32("disk number", diskNumber);
      return { totalBytes: await this.#host.getDiskStats(diskNumber, options) };
    });
  }

  setDiskState({ diskNumber, isOnline }: types.SetDiskStateRequest, options?: CallOptions): Promise<types.SetDiskStateResponse> {
    const request = { method: "SetDiskState", v: 2, fields: { diskNumber, isOnline } };
    return this.#requests.change(request, `disk:${diskNumber}`, options, async (options) => {
      checkUint32("disk number", diskNumber);
      const isAlready = (await this.#host.getDiskState(diskNumber, options)) === isOnline;
      if (!isAlready) await this.#host.setDiskState(diskNumber, isOnline, options);
      return {};
    });
  }

  getDiskState({ diskNumber }: types.GetDiskStateRequest, options?: CallOptions): Promise<types.GetDiskStateResponse> {
    return this.#requests.read({ method: "GetDiskState", v: 4, fields: { diskNumber } }, options, async (options) => {
      checkUint32("disk number", diskNumber);
      return { isOnline: await this.#host.getDiskState(diskNumber, options) };
    });
  }

  /** For the v1 server, whose first version has no `listDiskIds`. */
  getDiskNumberByName({ diskName }: types.GetDiskNumberByNameRequest, options?: CallOptions): Promise<types.GetDiskNumberByNameResponse> {
    return this.#requests.read({ method: "GetDiskNumberByName", v: 2, fields: { diskName } }, options, async (options) => ({
      diskNumber: await this.#host.getDiskNumberByName(diskName, options),
    }));
  }
}
