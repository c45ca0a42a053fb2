import type { Fields } from "@csi-sidecars/base";
import type { CallOptions } from "../call-options.ts";
import { checkUint32 } from "../check-uint32.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { OperationOptions } from "../powershell/executor.ts";
import { type HandlerOptions, Requests } from "../requests.ts";
import type { VolumeHostApi } from "./host-api.ts";
import type * as types from "./types.ts";
import { volumeLockKey } from "./volume-id.ts";

/** Volumes of the node: formats, mounts, grows and measures them, and finds the one behind a path. */
export class Volume {
  readonly #host: VolumeHostApi;
  readonly #requests: Requests;

  constructor(host: VolumeHostApi, options: HandlerOptions = {}) {
    this.#host = host;
    this.#requests = new Requests("volume", options);
  }

  listVolumesOnDisk(request: types.ListVolumesOnDiskRequest, options?: CallOptions): Promise<types.ListVolumesOnDiskResponse> {
    const { diskNumber, partitionNumber = 0 } = request;
    return this.#read("ListVolumesOnDisk", { diskNumber, partitionNumber }, options, async (options) => {
      checkUint32("disk number", diskNumber);
      checkUint32("partition number", partitionNumber);
      return { volumeIds: await this.#host.listVolumesOnDisk(diskNumber, partitionNumber, options) };
    });
  }

  mountVolume({ volumeId, targetPath }: types.MountVolumeRequest, options?: CallOptions): Promise<types.MountVolumeResponse> {
    return this.#change("MountVolume", { volumeId, targetPath }, options, async (options) => {
      required(volumeId, "MountVolumeRequest.VolumeID is empty");
      required(targetPath, "MountVolumeRequest.TargetPath is empty");
      await this.#host.mountVolume(volumeId, targetPath, options);
      return {};
    });
  }

  unmountVolume({ volumeId, targetPath }: types.UnmountVolumeRequest, options?: CallOptions): Promise<types.UnmountVolumeResponse> {
    return this.#change("UnmountVolume", { volumeId, targetPath }, options, async (options) => {
      required(volumeId, "volume id empty");
      required(targetPath, "target path empty");
      await this.#host.unmountVolume(volumeId, targetPath, options);
      return {};
    });
  }

  isVolumeFormatted({ volumeId }: types.VolumeRequest, options?: CallOptions): Promise<types.IsVolumeFormattedResponse> {
    return this.#read("IsVolumeFormatted", { volumeId }, options, async (options) => {
      required(volumeId, "volume id empty");
      return { formatted: await this.#host.isVolumeFormatted(volumeId, options) };
    });
  }

  /** Formats the volume whatever is on it: callers ask `isVolumeFormatted` first. */
  formatVolume({ volumeId }: types.VolumeRequest, options?: CallOptions): Promise<types.FormatVolumeResponse> {
    return this.#change("FormatVolume", { volumeId }, options, async (options) => {
      required(volumeId, "volume id empty");
      await this.#host.formatVolume(volumeId, options);
      return {};
    });
  }

  resizeVolume({ volumeId, sizeBytes }: types.ResizeVolumeRequest, options?: CallOptions): Promise<types.ResizeVolumeResponse> {
    return this.#change("ResizeVolume", { volumeId, sizeBytes: String(sizeBytes) }, options, async (options) => {
      required(volumeId, "volume id empty");
      if (typeof sizeBytes !== "bigint") throw new CsiProxyError("InvalidArgument", `size ${sizeBytes} is not a bigint`);
      if (sizeBytes < 0n) throw new CsiProxyError("InvalidArgument", `invalid negative size ${sizeBytes} for volume (${volumeId})`);
      return { resized: await this.#host.resizeVolume(volumeId, sizeBytes, options) };
    });
  }

  getVolumeStats({ volumeId }: types.VolumeRequest, options?: CallOptions): Promise<types.GetVolumeStatsResponse> {
    return this.#read("GetVolumeStats", { volumeId }, options, (options) => {
      required(volumeId, "volume id empty");
      return this.#host.getVolumeStats(volumeId, options);
    });
  }

  getDiskNumberFromVolumeId({ volumeId }: types.VolumeRequest, options?: CallOptions): Promise<types.GetDiskNumberFromVolumeIdResponse> {
    return this.#read("GetDiskNumberFromVolumeID", { volumeId }, options, async (options) => {
      required(volumeId, "volume id empty");
      return { diskNumber: await this.#host.getDiskNumberFromVolumeId(volumeId, options) };
    });
  }

  getVolumeIdFromTargetPath(
    { targetPath }: types.TargetPathRequest,
    options?: CallOptions,
  ): Promise<types.GetVolumeIdFromTargetPathResponse> {
    return this.#read("GetVolumeIDFromTargetPath", { targetPath }, options, async (options) => {
      required(targetPath, "target path is empty");
      return { volumeId: await this.#host.getVolumeIdFromTargetPath(targetPath, options) };
    });
  }

  getClosestVolumeIdFromTargetPath(
    { targetPath }: types.TargetPathRequest,
    options?: CallOptions,
  ): Promise<types.GetClosestVolumeIdFromTargetPathResponse> {
    return this.#read("GetClosestVolumeIDFromTargetPath", { targetPath }, options, async (options) => {
      required(targetPath, "target path is empty");
      return { volumeId: await this.#host.getClosestVolumeIdFromTargetPath(targetPath, options) };
    });
  }

  writeVolumeCache({ volumeId }: types.VolumeRequest, options?: CallOptions): Promise<types.WriteVolumeCacheResponse> {
    return this.#read("WriteVolumeCache", { volumeId }, options, async (options) => {
      required(volumeId, "volume id empty");
      await this.#host.writeVolumeCache(volumeId, options);
      return {};
    });
  }

  #read<T>(method: string, fields: Fields, options: CallOptions | undefined, work: (options: OperationOptions) => Promise<T>): Promise<T> {
    return this.#requests.read({ method, v: 2, fields }, options, work);
  }

  #change<T>(
    method: string,
    fields: Fields & types.VolumeRequest,
    options: CallOptions | undefined,
    work: (options: OperationOptions) => Promise<T>,
  ): Promise<T> {
    return this.#requests.change({ method, v: 2, fields }, volumeLockKey(fields.volumeId ?? ""), options, work);
  }
}

function required(value: string, textIfEmpty: string): void {
  if (!value) throw new CsiProxyError("InvalidArgument", textIfEmpty);
}
