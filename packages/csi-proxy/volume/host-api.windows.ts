import { type Logger, silentLogger } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { type OperationData, operationData } from "../powershell/operation-data.ts";
import { pathInfo } from "../powershell/reparse-info.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import { closestVolume, mountedVolume } from "./find-volume.ts";
import type { VolumeHostApi } from "./host-api.ts";
import { addMountPoint, removeMountPoint } from "./mount-point.ts";
import { resizeVolume } from "./resize-volume.ts";
import { partitionOf, queryVolume } from "./volume-record.ts";

/** Volumes through Windows' storage management classes and mount point calls. */
export function windowsVolumeHostApi(executor: Executor, { log = silentLogger }: { readonly log?: Logger } = {}): VolumeHostApi {
  const warn = (message: string) => log.info(`Warning: ${message}`);
  const query = <T>(volumeId: string, read: (volume: OperationData) => T, options?: OperationOptions): Promise<T> =>
    inContext(`error querying volume (${volumeId}). error: `, queryVolume(executor, volumeId, read, options));

  async function writeVolumeCache(volumeId: string, options?: OperationOptions): Promise<void> {
    const flush = { class: "MSFT_Volume", method: "Flush", target: volumeId };
    const flushed = runMethod(executor, "volume.flush", { volumeID: volumeId }, flush, options);
    await inContext(`error writing volume (${volumeId}) cache. error: `, flushed);
  }

  return {
    listVolumesOnDisk: (diskNumber, partitionNumber, options) => listVolumes(executor, diskNumber, partitionNumber, options),

    mountVolume: (volumeId, targetPath, options) => addMountPoint(executor, volumeId, targetPath, options),

    async unmountVolume(volumeId, targetPath, options) {
      // What is not on the disk yet would be lost once the disk is taken away.
      await writeVolumeCache(volumeId, options);
      await removeMountPoint(executor, volumeId, targetPath, options);
    },

    // Any known file system counts, not only NTFS.
    isVolumeFormatted: (volumeId, options) => query(volumeId, (volume) => volume.uint32("fileSystemType") !== 0, options),

    async formatVolume(volumeId, options) {
      const format = { class: "MSFT_Volume", method: "Format", target: volumeId };
      const formatted = runMethod(executor, "volume.format", { volumeID: volumeId }, format, options);
      await inContext(`error formatting volume (${volumeId}). error: `, formatted);
    },

    resizeVolume: (volumeId, sizeBytes, options) => resizeVolume(executor, volumeId, sizeBytes, warn, options),

    getVolumeStats: (volumeId, options) =>
      query(
        volumeId,
        (volume) => {
          const totalBytes = volume.bigint("size");
          return { totalBytes, usedBytes: totalBytes - volume.bigint("sizeRemaining") };
        },
        options,
      ),

    async getDiskNumberFromVolumeId(volumeId, options) {
      const context = `error query disk number of volume (${volumeId}). error: `;
      return (await inContext(context, partitionOf(executor, volumeId, options))).diskNumber;
    },

    getVolumeIdFromTargetPath: (targetPath, options) =>
      mountedVolume({ pathInfo: (path) => pathInfo(executor, path, options) }, targetPath),

    getClosestVolumeIdFromTargetPath: (targetPath, options) =>
      closestVolume(
        {
          pathInfo: (path) => pathInfo(executor, path, options),
          volumeOfDrive: (letter) => volumeOfDrive(executor, letter, options),
        },
        targetPath,
      ),

    writeVolumeCache,
  };
}

async function listVolumes(
  executor: Executor,
  diskNumber: number,
  partitionNumber: number,
  options?: OperationOptions,
): Promise<readonly string[]> {
  const params = { disk_number: String(diskNumber), partition_number: String(partitionNumber) };
  const listed = runOperation(executor, "volume.list", params, options).catch((error: unknown) => {
    if (error instanceof CsiProxyError && error.code === "NotFound") return [];
    throw error;
  });
  const volumes = operationData("volume.list", await inContext(`failed to list volumes on disk ${diskNumber}: `, listed)).list();
  // Drivers take the first id unseen; reserved partitions may come with an empty one.
  return volumes.flatMap((volume) => volume.optionalString("uniqueId") || []);
}

async function volumeOfDrive(executor: Executor, letter: string, options?: OperationOptions): Promise<string> {
  const answer = await runOperation(executor, "volume.byDriveLetter", { drivepath: letter }, options);
  const volume = operationData("volume.byDriveLetter", answer);
  if (volume.isNull) throw new CsiProxyError("NotFound", `volume of drive ${letter} not found`, { op: "volume.byDriveLetter" });
  return volume.string("uniqueId");
}
