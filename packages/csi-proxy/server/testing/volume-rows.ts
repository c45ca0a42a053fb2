import { diskNumber, huge, type MethodRow, path, rowsOf } from "./method-row.ts";
import type { Field } from "./wire-fields.ts";

const volumeId = "\\\\?\\Volume{0}\\";
const number: Field = ["disk_number:1 u32", diskNumber];
const anyVolume = rowsOf("volume", "v1alpha1 v1beta1 v1beta2 v1beta3 v1 v2alpha1");
const oldVolume = rowsOf("volume", "v1alpha1 v1beta1 v1beta2");
const betaVolume = rowsOf("volume", "v1beta1 v1beta2");
const newVolume = rowsOf("volume", "v1beta3 v1 v2alpha1");
const id: Field = ["volume_id:1 s", volumeId];
const ofVolume = { volumeId };
const mount = { volumeId, targetPath: path };
const volumeIds: Field = ["volume_ids:1 repeated s", ["\\\\?\\Volume{a}\\", "\\\\?\\Volume{b}\\"]];
const found: Field = ["volume_id:1 s", "\\\\?\\Volume{c}\\"];

export const volumeRows: readonly MethodRow[] = [
  oldVolume("ListVolumesOnDisk", [["disk_id:1 s", "4294967295"]], [volumeIds], ["listVolumesOnDisk", { diskNumber, partitionNumber: 0 }]),
  newVolume(
    "ListVolumesOnDisk",
    [number, ["partition_number:2 u32", 7]],
    [volumeIds],
    ["listVolumesOnDisk", { diskNumber, partitionNumber: 7 }],
  ),
  oldVolume("MountVolume", [id, ["path:2 s", path]], [], ["mountVolume", mount]),
  newVolume("MountVolume", [id, ["target_path:2 s", path]], [], ["mountVolume", mount]),
  oldVolume("DismountVolume", [id, ["path:2 s", path]], [], ["unmountVolume", mount]),
  newVolume("UnmountVolume", [id, ["target_path:2 s", path]], [], ["unmountVolume", mount]),
  anyVolume("IsVolumeFormatted", [id], [["formatted:1 b", true]], ["isVolumeFormatted", ofVolume]),
  anyVolume("FormatVolume", [id], [], ["formatVolume", ofVolume]),
  oldVolume("ResizeVolume", [id, ["size:2 i64", -huge]], [], ["resizeVolume", { volumeId, sizeBytes: -huge }]),
  newVolume("ResizeVolume", [id, ["size_bytes:2 i64", huge]], [], ["resizeVolume", { volumeId, sizeBytes: huge }]),
  betaVolume(
    "VolumeStats",
    [id],
    [
      ["volumeSize:1 i64", huge],
      ["volumeUsedSize:2 i64", huge - 1n],
    ],
    ["getVolumeStats", ofVolume],
  ),
  newVolume(
    "GetVolumeStats",
    [id],
    [
      ["total_bytes:1 i64", huge],
      ["used_bytes:2 i64", huge - 1n],
    ],
    ["getVolumeStats", ofVolume],
  ),
  betaVolume("GetVolumeDiskNumber", [id], [["diskNumber:1 i64", diskNumber]], ["getDiskNumberFromVolumeId", ofVolume], "VolumeDiskNumber"),
  newVolume("GetDiskNumberFromVolumeID", [id], [number], ["getDiskNumberFromVolumeId", ofVolume]),
  betaVolume(
    "GetVolumeIDFromMount",
    [["mount:1 s", path]],
    [found],
    ["getVolumeIdFromTargetPath", { targetPath: path }],
    "VolumeIDFromMount",
  ),
  newVolume("GetVolumeIDFromTargetPath", [["target_path:1 s", path]], [found], ["getVolumeIdFromTargetPath", { targetPath: path }]),
  rowsOf("volume", "v2alpha1")(
    "GetClosestVolumeIDFromTargetPath",
    [["target_path:1 s", path]],
    [["volume_id:1 s", "\\\\?\\Volume{d}\\"]],
    ["getClosestVolumeIdFromTargetPath", { targetPath: path }],
  ),
  rowsOf("volume", "v1beta2 v1beta3 v1 v2alpha1")("WriteVolumeCache", [id], [], ["writeVolumeCache", ofVolume]),
];
