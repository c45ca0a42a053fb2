import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import { parseDiskNumber } from "./disk-number.ts";
import type { VolumeHandler } from "./library.ts";
import type { ServiceOf } from "./services.ts";
import type { GroupMethods, VersionedMethods } from "./versioned-methods.ts";

/** The volume group. Most of its methods and fields got their present names in v1beta3. */
export function volumeMethods(volume: VolumeHandler): GroupMethods<"volume"> {
  const { getClosestVolumeIDFromTargetPath, ...current } = newestMethods(volume);
  const v1alpha1: VersionedMethods<ServiceOf<"volume", "v1alpha1">> = {
    async listVolumesOnDisk({ disk_id }, options) {
      const disk_number = parseDiskNumber(disk_id, "Failed to parse diskId: err=");
      return current.listVolumesOnDisk({ disk_number, partition_number: 0 }, options);
    },
    mountVolume: ({ volume_id, path }, options) => current.mountVolume({ volume_id, target_path: path }, options),
    dismountVolume: ({ volume_id, path }, options) =>
      forwarded("UnmountVolume", current.unmountVolume({ volume_id, target_path: path }, options)),
    isVolumeFormatted: current.isVolumeFormatted,
    formatVolume: current.formatVolume,
    resizeVolume: ({ volume_id, size }, options) => current.resizeVolume({ volume_id, size_bytes: size }, options),
  };
  const v1beta1: VersionedMethods<ServiceOf<"volume", "v1beta1">> = {
    ...v1alpha1,
    async volumeStats(request, options) {
      const { total_bytes, used_bytes } = await forwarded("GetVolumeStats", current.getVolumeStats(request, options));
      return { volumeSize: total_bytes, volumeUsedSize: used_bytes };
    },
    async getVolumeDiskNumber(request, options) {
      const { disk_number } = await forwarded("GetDiskNumberFromVolumeID", current.getDiskNumberFromVolumeID(request, options));
      return { diskNumber: BigInt(disk_number) };
    },
    getVolumeIDFromMount: ({ mount }, options) =>
      forwarded("GetVolumeIDFromTargetPath", current.getVolumeIDFromTargetPath({ target_path: mount }, options)),
  };
  return {
    v1alpha1,
    v1beta1,
    v1beta2: { ...v1beta1, writeVolumeCache: current.writeVolumeCache },
    v1beta3: current,
    v1: current,
    v2alpha1: { ...current, getClosestVolumeIDFromTargetPath },
  };
}

/** The answer of the method that replaced an old one; a failure says to which method the call went. */
const forwarded = <T>(to: string, call: Promise<T>): Promise<T> => inContext(`Forward to ${to} failed, err=`, call);

function newestMethods(volume: VolumeHandler): VersionedMethods<ServiceOf<"volume", "v2alpha1">> {
  return {
    async listVolumesOnDisk({ disk_number, partition_number }, options) {
      const { volumeIds } = await volume.listVolumesOnDisk({ diskNumber: disk_number, partitionNumber: partition_number }, options);
      return { volume_ids: volumeIds };
    },
    async mountVolume({ volume_id, target_path }, options) {
      // The library spells it VolumeID; what the v1 server says was released before.
      if (volume_id === "") throw new CsiProxyError("InvalidArgument", "MountVolumeRequest.VolumeId is empty");
      await volume.mountVolume({ volumeId: volume_id, targetPath: target_path }, options);
      return {};
    },
    async unmountVolume({ volume_id, target_path }, options) {
      await volume.unmountVolume({ volumeId: volume_id, targetPath: target_path }, options);
      return {};
    },
    async isVolumeFormatted({ volume_id }, options) {
      const { formatted } = await volume.isVolumeFormatted({ volumeId: volume_id }, options);
      return { formatted };
    },
    async formatVolume({ volume_id }, options) {
      await volume.formatVolume({ volumeId: volume_id }, options);
      return {};
    },
    async resizeVolume({ volume_id, size_bytes }, options) {
      await volume.resizeVolume({ volumeId: volume_id, sizeBytes: size_bytes }, options);
      return {};
    },
    async getVolumeStats({ volume_id }, options) {
      const { totalBytes, usedBytes } = await volume.getVolumeStats({ volumeId: volume_id }, options);
      return { total_bytes: totalBytes, used_bytes: usedBytes };
    },
    async getDiskNumberFromVolumeID({ volume_id }, options) {
      const { diskNumber } = await volume.getDiskNumberFromVolumeId({ volumeId: volume_id }, options);
      return { disk_number: diskNumber };
    },
    async getVolumeIDFromTargetPath({ target_path }, options) {
      const { volumeId } = await volume.getVolumeIdFromTargetPath({ targetPath: target_path }, options);
      return { volume_id: volumeId };
    },
    async getClosestVolumeIDFromTargetPath({ target_path }, options) {
      const { volumeId } = await volume.getClosestVolumeIdFromTargetPath({ targetPath: target_path }, options);
      return { volume_id: volumeId };
    },
    async writeVolumeCache({ volume_id }, options) {
      await volume.writeVolumeCache({ volumeId: volume_id }, options);
      return {};
    },
  };
}
