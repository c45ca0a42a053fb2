import { diskNumber, huge, type MethodRow, rowsOf } from "./method-row.ts";
import type { Field } from "./wire-fields.ts";

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
const number: Field = ["disk_number:1 u32", diskNumber];

export const diskRows: readonly MethodRow[] = [
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
