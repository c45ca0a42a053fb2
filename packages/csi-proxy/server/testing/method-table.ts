import type { ApiGroupName } from "../api-groups.ts";
import type { RecordedCall } from "./recorded-handlers.ts";
import type { Field } from "./wire-fields.ts";

/** A method in some versions of a group, with a value for every field of its messages and what the handler is asked. */
export interface MethodRow {
  readonly group: ApiGroupName;
  readonly versions: readonly string[];
  readonly method: string;
  /** The stem of its messages' names where it is not the method's. */
  readonly messages?: string;
  readonly request: readonly Field[];
  readonly response: readonly Field[];
  readonly asks: RecordedCall;
}

const huge = 2n ** 53n + 1n;
const volumeId = "\\\\?\\Volume{0}\\";
const path = "C:\\var\\lib\\kubelet\\pods\\é";
const source = "C:\\var\\lib\\kubelet\\plugins\\x";

const rowsOf =
  (group: ApiGroupName, versions: string) =>
  (method: string, request: readonly Field[], response: readonly Field[], asks: RecordedCall, messages?: string): MethodRow => ({
    group,
    versions: versions.split(" "),
    method,
    request,
    response,
    asks,
    ...(messages !== undefined && { messages }),
  });

const location = (lun: string): readonly Field[] => [
  ["Adapter:1 s", "1"],
  ["Bus:2 s", "2"],
  ["Target:3 s", "3"],
  ["LUNID:4 s", lun],
];
const oldIds = (page83: string, serial: string): readonly Field[] => [
  [
    "identifiers:1 map<s,s>",
    new Map([
      ["page83", page83],
      ["serialNumber", serial],
    ]),
  ],
];
const ids = (page83: string, serial: string): readonly Field[] => [
  ["page83:1 s", page83],
  ["serial_number:2 s", serial],
];

const anyDisk = rowsOf("disk", "v1alpha1 v1beta1 v1beta2 v1beta3 v1");
const oldDisk = rowsOf("disk", "v1alpha1 v1beta1 v1beta2");
const betaDisk = rowsOf("disk", "v1beta1 v1beta2");
const attachDisk = rowsOf("disk", "v1beta2");
const newDisk = rowsOf("disk", "v1beta3 v1");
const firstDisk: Field = ["diskID:1 s", "4294967295"];
const number: Field = ["disk_number:1 u32", 4294967295];
const diskNumber = 4294967295;

const disk: readonly MethodRow[] = [
  oldDisk(
    "ListDiskLocations",
    [],
    [
      [
        "disk_locations:1 map<s,DiskLocation>",
        new Map([
          ["2", location("4")],
          ["4294967295", location("5")],
        ]),
      ],
    ],
    ["listDiskLocations", {}],
  ),
  newDisk(
    "ListDiskLocations",
    [],
    [
      [
        "disk_locations:1 map<u32,DiskLocation>",
        new Map([
          [2, location("4")],
          [4294967295, location("5")],
        ]),
      ],
    ],
    ["listDiskLocations", {}],
  ),
  oldDisk("PartitionDisk", [firstDisk], [], ["partitionDisk", { diskNumber }]),
  newDisk("PartitionDisk", [number], [], ["partitionDisk", { diskNumber }]),
  anyDisk("Rescan", [], [], ["rescan", {}]),
  rowsOf("disk", "v1alpha1")(
    "GetDiskNumberByName",
    [["disk_name:1 s", "4d53"]],
    [["disk_number:1 s", "4294967295"]],
    ["getDiskNumberByName", { diskName: "4d53" }],
  ),
  betaDisk(
    "ListDiskIDs",
    [],
    [
      [
        "diskIDs:1 map<s,DiskIDs>",
        new Map([
          ["2", oldIds("Google  persistent-disk-0", " SN 2")],
          ["10", oldIds("4d53", "SN10")],
        ]),
      ],
    ],
    ["listDiskIds", {}],
  ),
  newDisk(
    "ListDiskIDs",
    [],
    [
      [
        "diskIDs:1 map<u32,DiskIDs>",
        new Map([
          [2, ids("Google  persistent-disk-0", " SN 2")],
          [10, ids("4d53", "SN10")],
        ]),
      ],
    ],
    ["listDiskIds", {}],
  ),
  betaDisk("DiskStats", [firstDisk], [["diskSize:1 i64", huge]], ["getDiskStats", { diskNumber }]),
  newDisk("GetDiskStats", [number], [["total_bytes:1 i64", huge]], ["getDiskStats", { diskNumber }]),
  attachDisk("SetAttachState", [firstDisk, ["isOnline:2 b", true]], [], ["setDiskState", { diskNumber, isOnline: true }]),
  attachDisk("GetAttachState", [firstDisk], [["isOnline:1 b", true]], ["getDiskState", { diskNumber }]),
  newDisk("SetDiskState", [number, ["is_online:2 b", true]], [], ["setDiskState", { diskNumber, isOnline: true }]),
  newDisk("GetDiskState", [number], [["is_online:1 b", true]], ["getDiskState", { diskNumber }]),
];

const anyVolume = rowsOf("volume", "v1alpha1 v1beta1 v1beta2 v1beta3 v1 v2alpha1");
const oldVolume = rowsOf("volume", "v1alpha1 v1beta1 v1beta2");
const betaVolume = rowsOf("volume", "v1beta1 v1beta2");
const newVolume = rowsOf("volume", "v1beta3 v1 v2alpha1");
const id: Field = ["volume_id:1 s", volumeId];
const ofVolume = { volumeId };
const mount = { volumeId, targetPath: path };
const volumeIds: Field = ["volume_ids:1 repeated s", ["\\\\?\\Volume{a}\\", "\\\\?\\Volume{b}\\"]];
const found: Field = ["volume_id:1 s", "\\\\?\\Volume{c}\\"];

const volume: readonly MethodRow[] = [
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

const oldFiles = rowsOf("filesystem", "v1alpha1 v1beta1");
const newFiles = rowsOf("filesystem", "v1beta2 v1 v2alpha1");
const onPath: Field = ["path:1 s", path];
const context: Field = ["context:2 enum PathContext", 1];
/** Declared and never sent: a failed call has a status. */
const error: Field = ["error:1 s", ""];
const link: readonly Field[] = [
  ["source_path:1 s", source],
  ["target_path:2 s", path],
];
const linked = { sourcePath: source, targetPath: path };

const filesystem: readonly MethodRow[] = [
  oldFiles("PathExists", [onPath, context], [error, ["exists:2 b", true]], ["pathExists", { path }]),
  newFiles("PathExists", [onPath], [["exists:1 b", true]], ["pathExists", { path }]),
  oldFiles("Mkdir", [onPath, context], [error], ["mkdir", { path }]),
  newFiles("Mkdir", [onPath], [], ["mkdir", { path }]),
  oldFiles("Rmdir", [onPath, context, ["force:3 b", true]], [error], ["rmdir", { path, force: true }]),
  newFiles("Rmdir", [onPath, ["force:2 b", true]], [], ["rmdir", { path, force: true }]),
  rowsOf("filesystem", "v2alpha1")("RmdirContents", [onPath], [], ["rmdirContents", { path }]),
  oldFiles("LinkPath", link, [error], ["createSymlink", linked]),
  newFiles("CreateSymlink", link, [], ["createSymlink", linked]),
  oldFiles("IsMountPoint", [onPath], [error, ["is_mount_point:2 b", true]], ["isSymlink", { path }]),
  newFiles("IsSymlink", [onPath], [["is_symlink:1 b", true]], ["isSymlink", { path }]),
];

const remotePath = "\\\\host\\share\\sub";
const remote: Field = ["remote_path:1 s", remotePath];
const credentials: readonly Field[] = [remote, ["local_path:2 s", path], ["username:3 s", "domain\\user"], ["password:4 s", "pä"]];
const mapping: RecordedCall = ["newSmbGlobalMapping", { remotePath, localPath: path, username: "domain\\user", password: "pä" }];
const oldSmb = rowsOf("smb", "v1alpha1 v1beta1");
const newSmb = rowsOf("smb", "v1beta2 v1");

const smb: readonly MethodRow[] = [
  oldSmb("NewSmbGlobalMapping", credentials, [error], mapping),
  newSmb("NewSmbGlobalMapping", credentials, [], mapping),
  oldSmb("RemoveSmbGlobalMapping", [remote], [error], ["removeSmbGlobalMapping", { remotePath }]),
  newSmb("RemoveSmbGlobalMapping", [remote], [], ["removeSmbGlobalMapping", { remotePath }]),
];

const anyIscsi = rowsOf("iscsi", "v1alpha1 v1alpha2");
const address = (host: string, port: number): readonly Field[] => [
  ["target_address:1 s", host],
  ["target_port:2 u32", port],
];
const portal: Field = ["target_portal:1 TargetPortal", address("10.0.0.9", 3261)];
const iqn: Field = ["iqn:2 s", "iqn.9"];
const atPortal = { targetPortal: { targetAddress: "10.0.0.9", targetPort: 3261 } };
const atTarget = { ...atPortal, iqn: "iqn.9" };
const chap: readonly Field[] = [
  ["auth_type:3 enum AuthenticationType", 2],
  ["chap_username:4 s", "me"],
  ["chap_secret:5 s", "secret"],
];

const iscsi: readonly MethodRow[] = [
  anyIscsi("AddTargetPortal", [portal], [], ["addTargetPortal", atPortal]),
  anyIscsi("RemoveTargetPortal", [portal], [], ["removeTargetPortal", atPortal]),
  anyIscsi("DiscoverTargetPortal", [portal], [["iqns:1 repeated s", ["iqn.1", "iqn.2"]]], ["discoverTargetPortal", atPortal]),
  anyIscsi(
    "ListTargetPortals",
    [],
    [["target_portals:1 repeated TargetPortal", [address("10.0.0.1", 3260), address("10.0.0.2", 65535)]]],
    ["listTargetPortals", {}],
  ),
  anyIscsi(
    "ConnectTarget",
    [portal, iqn, ...chap],
    [],
    ["connectTarget", { ...atTarget, authType: 2, chapUsername: "me", chapSecret: "secret" }],
  ),
  anyIscsi("DisconnectTarget", [portal, iqn], [], ["disconnectTarget", atTarget]),
  anyIscsi("GetTargetDisks", [portal, iqn], [["diskIDs:1 repeated s", ["3", "4"]]], ["getTargetDisks", atTarget]),
  rowsOf("iscsi", "v1alpha2")(
    "SetMutualChapSecret",
    [["MutualChapSecret:1 s", "secret"]],
    [],
    ["setMutualChapSecret", { mutualChapSecret: "secret" }],
  ),
];

const systemV1alpha1 = rowsOf("system", "v1alpha1");
const name: Field = ["name:1 s", "MSiSCSI"];
const service: readonly Field[] = [
  ["display_name:1 s", "Spooler of Prints"],
  ["start_type:2 enum StartType", 2],
  ["status:3 enum ServiceStatus", 4],
];

const system: readonly MethodRow[] = [
  systemV1alpha1("GetBIOSSerialNumber", [], [["serial_number:1 s", "BIOS-1"]], ["getBiosSerialNumber", {}]),
  systemV1alpha1("StartService", [name], [], ["startService", { name: "MSiSCSI" }]),
  systemV1alpha1("StopService", [name, ["force:2 b", true]], [], ["stopService", { name: "MSiSCSI", force: true }]),
  systemV1alpha1("GetService", [name], service, ["getService", { name: "MSiSCSI" }]),
];

/** The whole API, written down once more from its specification: 139 methods. */
export const methodTable: readonly (MethodRow & { readonly version: string })[] = [disk, volume, filesystem, smb, iscsi, system]
  .flat()
  .flatMap((row) => row.versions.map((version) => ({ ...row, version })));
