import { describe, expect, test } from "bun:test";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inProcessClient } from "./in-process-client.ts";
import { recordedHandlers } from "./testing/recorded-handlers.ts";

const { calls, handlers } = recordedHandlers();
const proxy = handlers;
const failing = (method: string, error: Error) => recordedHandlers({ [method]: () => Promise.reject(error) }).handlers;
const textOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "no error",
    (error) => error.message,
  );

const disk1 = inProcessClient("disk", "v1alpha1", proxy);
const disk2 = inProcessClient("disk", "v1beta1", proxy);
const disk3 = inProcessClient("disk", "v1beta2", proxy);
const volume1 = inProcessClient("volume", "v1alpha1", proxy);
const volume2 = inProcessClient("volume", "v1beta1", proxy);
const volume3 = inProcessClient("volume", "v1beta2", proxy);

/** Every method with a disk number in a string, and what it says before Go's words. */
const parsing: [name: string, call: (disk: string) => Promise<unknown>, context: string][] = [
  [
    "disk v1alpha1 PartitionDisk",
    (diskID) => disk1.PartitionDisk({ diskID }),
    "Failed to convert v1alpha1.PartitionDiskRequest.DiskID to uint32: ",
  ],
  [
    "disk v1beta1 PartitionDisk",
    (diskID) => disk2.PartitionDisk({ diskID }),
    "Failed to convert v1beta1.PartitionDiskRequest.DiskID to uint32: ",
  ],
  [
    "disk v1beta2 PartitionDisk",
    (diskID) => disk3.PartitionDisk({ diskID }),
    "Failed to convert v1beta2.PartitionDiskRequest.DiskID to uint32: ",
  ],
  ["disk v1beta1 DiskStats", (diskID) => disk2.DiskStats({ diskID }), "Failed to format DiskStatsRequest.DiskID with err: "],
  ["disk v1beta2 DiskStats", (diskID) => disk3.DiskStats({ diskID }), "Failed to format DiskStatsRequest.DiskID with err: "],
  ["disk v1beta2 SetAttachState", (diskID) => disk3.SetAttachState({ diskID }), "Failed to format SetAttachStateRequest.DiskID with err: "],
  ["disk v1beta2 GetAttachState", (diskID) => disk3.GetAttachState({ diskID }), "Failed to format GetAttachStateRequest.DiskID with err: "],
  ["volume v1alpha1 ListVolumesOnDisk", (disk_id) => volume1.ListVolumesOnDisk({ disk_id }), "Failed to parse diskId: err="],
  ["volume v1beta1 ListVolumesOnDisk", (disk_id) => volume2.ListVolumesOnDisk({ disk_id }), "Failed to parse diskId: err="],
  ["volume v1beta2 ListVolumesOnDisk", (disk_id) => volume3.ListVolumesOnDisk({ disk_id }), "Failed to parse diskId: err="],
];

const wrongNumbers: [text: string, reason: string][] = [
  ["", '"": invalid syntax'],
  ["-1", '"-1": invalid syntax'],
  ["+1", '"+1": invalid syntax'],
  [" 1", '" 1": invalid syntax'],
  ["1 ", '"1 ": invalid syntax'],
  ["0x1", '"0x1": invalid syntax'],
  ["1_000", '"1_000": invalid syntax'],
  ["1.0", '"1.0": invalid syntax'],
  ["１", '"１": invalid syntax'],
  ['"\n', '"\\"\\n": invalid syntax'],
  ["\x7f", '"\\x7f": invalid syntax'],
  ["4294967296x", '"4294967296x": invalid syntax'],
  ["4294967296", '"4294967296": value out of range'],
  ["18446744073709551615", '"18446744073709551615": value out of range'],
  ["18446744073709551616", '"18446744073709551616": value out of range'],
  ["99999999999999999999x", '"99999999999999999999x": value out of range'],
];

describe("disk numbers in strings", () => {
  describe.each(parsing)("%s", (_, call, context) => {
    test.each(wrongNumbers)("%j is refused in Go's words", async (text, reason) => {
      calls.length = 0;
      expect(await textOf(call(text))).toBe(`${context}strconv.ParseUint: parsing ${reason}`);
      expect(calls).toEqual([]);
    });

    test.each([
      ["0", 0],
      ["007", 7],
      ["4294967295", 4294967295],
      [`${"0".repeat(30)}1`, 1],
    ])("%j is disk %d", async (text, diskNumber) => {
      calls.length = 0;
      await call(text);
      expect(calls).toMatchObject([[expect.any(String), { diskNumber }]]);
    });
  });
});

describe("methods that were renamed", () => {
  const cause = new CsiProxyError("FailedPrecondition", "c:\\x is not a mounted folder", { op: "fs.reparseInfo", win32: 5 });
  test.each([
    ["DismountVolume", "unmountVolume", "UnmountVolume", (p: typeof proxy) => inProcessClient("volume", "v1alpha1", p).DismountVolume()],
    ["VolumeStats", "getVolumeStats", "GetVolumeStats", (p: typeof proxy) => inProcessClient("volume", "v1beta1", p).VolumeStats()],
    [
      "GetVolumeDiskNumber",
      "getDiskNumberFromVolumeId",
      "GetDiskNumberFromVolumeID",
      (p: typeof proxy) => inProcessClient("volume", "v1beta2", p).GetVolumeDiskNumber(),
    ],
    [
      "GetVolumeIDFromMount",
      "getVolumeIdFromTargetPath",
      "GetVolumeIDFromTargetPath",
      (p: typeof proxy) => inProcessClient("volume", "v1beta2", p).GetVolumeIDFromMount(),
    ],
  ] as const)("volume %s says where its call went, and why it failed there", async (_, handler, to, call) => {
    await expect(call(failing(handler, cause))).rejects.toMatchObject({
      message: `Forward to ${to} failed, err=c:\\x is not a mounted folder`,
      code: "FailedPrecondition",
      op: "fs.reparseInfo",
      win32: 5,
      cause,
    });
    expect(await textOf(call(failing(handler, new Error("boom"))))).toBe(`Forward to ${to} failed, err=boom`);
  });

  test.each([
    ["disk DiskStats", "getDiskStats", (p: typeof proxy) => inProcessClient("disk", "v1beta1", p).DiskStats({ diskID: "1" })],
    ["disk SetAttachState", "setDiskState", (p: typeof proxy) => inProcessClient("disk", "v1beta2", p).SetAttachState({ diskID: "1" })],
    ["disk GetAttachState", "getDiskState", (p: typeof proxy) => inProcessClient("disk", "v1beta2", p).GetAttachState({ diskID: "1" })],
    ["filesystem LinkPath", "createSymlink", (p: typeof proxy) => inProcessClient("filesystem", "v1alpha1", p).LinkPath()],
    ["filesystem IsMountPoint", "isSymlink", (p: typeof proxy) => inProcessClient("filesystem", "v1beta1", p).IsMountPoint()],
    ["volume MountVolume", "mountVolume", (p: typeof proxy) => inProcessClient("volume", "v1alpha1", p).MountVolume({ volume_id: "v" })],
  ] as const)("%s fails with the text alone", async (_, handler, call) => {
    expect(await textOf(call(failing(handler, cause)))).toBe(cause.message);
  });
});

describe("answers of old versions", () => {
  test("the identifiers of a disk are two entries, also when they are empty", async () => {
    const empty = { listDiskIds: async () => ({ diskIds: new Map([[0, { page83: "", serialNumber: "" }]]) }) };
    const client = inProcessClient("disk", "v1beta1", recordedHandlers(empty).handlers);
    expect(await client.ListDiskIDs()).toEqual({ diskIDs: { 0: { identifiers: { page83: "", serialNumber: "" } } } });
  });

  test("errors are empty", async () => {
    const filesystem = inProcessClient("filesystem", "v1beta1", proxy);
    expect(await filesystem.PathExists()).toEqual({ error: "", exists: true });
    expect(await filesystem.Mkdir()).toEqual({ error: "" });
    expect(await filesystem.IsMountPoint()).toEqual({ error: "", is_mount_point: true });
    expect(await inProcessClient("smb", "v1alpha1", proxy).RemoveSmbGlobalMapping({ remote_path: "x" })).toEqual({ error: "" });
  });
});

test.each([
  ["v1alpha1", inProcessClient("volume", "v1alpha1", proxy).MountVolume],
  ["v1", inProcessClient("volume", "v1", proxy).MountVolume],
  ["v2alpha1", inProcessClient("volume", "v2alpha1", proxy).MountVolume],
])("volume %s spells the field without a volume as released", async (_, mount) => {
  expect(await textOf(mount({}))).toBe("MountVolumeRequest.VolumeId is empty");
});

test.each([[0], [1], [2]])("%d portals are listed", async (count) => {
  const targetPortals = Array.from({ length: count }, (_, index) => ({ targetAddress: `10.0.0.${index}`, targetPort: 3260 + index }));
  const client = inProcessClient("iscsi", "v1alpha1", recordedHandlers({ listTargetPortals: async () => ({ targetPortals }) }).handlers);
  const target_portals = targetPortals.map(({ targetAddress, targetPort }) => ({ target_address: targetAddress, target_port: targetPort }));
  expect(await client.ListTargetPortals()).toEqual({ target_portals });
});
