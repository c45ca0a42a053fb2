import { describe, expect, test } from "bun:test";
import { RecordedExecutor } from "../powershell/recorded-executor.ts";
import { page83Descriptor } from "../testing/index.ts";
import { type DeviceId, diskIdsOf, queryDeviceIds } from "./device-ids.ts";
import type { DiskIds } from "./types.ts";

const disk = (number: number, path?: string) => ({ number, serialNumber: `S${number}`, location: "", ...(path && { path }) });
const ids = (page83: string, number: number): DiskIds => ({ page83, serialNumber: `S${number}` });

describe("diskIdsOf", () => {
  const refused = "IOCTL_STORAGE_QUERY_PROPERTY failed: Incorrect function.";

  test.each<[string, readonly [string, DeviceId][], readonly [number, DiskIds][], readonly string[]]>([
    [
      "all disks answer",
      [
        ["a", { deviceNumber: 0, page83: "x" }],
        ["b", { deviceNumber: 1, page83: "y" }],
      ],
      [
        [0, ids("x", 0)],
        [1, ids("y", 1)],
      ],
      [],
    ],
    [
      "the device's number counts",
      [
        ["a", { deviceNumber: 5, page83: "x" }],
        ["b", { deviceNumber: 6, page83: "" }],
      ],
      [
        [5, ids("x", 0)],
        [6, ids("", 1)],
      ],
      [],
    ],
    [
      "one refuses the descriptor",
      [
        ["a", { deviceNumber: 0, page83: "x" }],
        ["b", { deviceNumber: 7, error: refused }],
      ],
      [
        [0, ids("x", 0)],
        [7, ids("", 1)],
      ],
      [`disk 1: ${refused}`],
    ],
    [
      "one cannot be opened",
      [
        ["a", { deviceNumber: 0, page83: "x" }],
        ["b", { error: "Access is denied." }],
      ],
      [
        [0, ids("x", 0)],
        [1, ids("", 1)],
      ],
      ["disk 1: Access is denied."],
    ],
    [
      "one got no answer",
      [["a", { deviceNumber: 0, page83: "x" }]],
      [
        [0, ids("x", 0)],
        [1, ids("", 1)],
      ],
      ["disk 1: no answer"],
    ],
    [
      "a disk that could not be read takes no number from one that was",
      [
        ["a", { deviceNumber: 1, page83: "x" }],
        ["b", {}],
      ],
      [[1, ids("x", 0)]],
      ["disk 1: no answer"],
    ],
  ])("%s", (_, devices, expected, failures) => {
    const warnings: string[] = [];
    const found = diskIdsOf([disk(0, "a"), disk(1, "b")], new Map(devices), (message) => warnings.push(message));
    expect([...found].sort(([one], [other]) => one - other)).toEqual([...expected]);
    expect(warnings).toEqual(failures.map((failure) => `could not read the page 83 identifier of ${failure}`));
  });

  test("no disk could be read", () => {
    const devices = new Map([["a", { error: "Access is denied." }]]);
    expect(() => diskIdsOf([disk(0, "a"), disk(1)], devices, () => {})).toThrow(
      "failed to read the ids of any disk: disk 0: Access is denied.; disk 1: no answer",
    );
  });

  test("no disks at all", () => {
    expect(diskIdsOf([], new Map(), () => {}).size).toBe(0);
  });
});

describe("queryDeviceIds", () => {
  test("asks for all paths at once and reads the descriptors", async () => {
    const hex = "4d53465420202020328d59b360875845ac645473be8267bf";
    const base64 = (descriptor: Uint8Array) => Buffer.from(descriptor).toString("base64");
    const executor = new RecordedExecutor([
      {
        op: "disk.deviceIds",
        params: { disk_paths: '["\\\\\\\\?\\\\a","b","c"]' },
        reply: {
          ok: true,
          data: [
            { path: "\\\\?\\a", deviceNumber: 0, descriptor: base64(page83Descriptor("Google  persistent-disk-0")), error: null },
            { path: "b", deviceNumber: "1", descriptor: base64(page83Descriptor(hex, "binary")), error: "" },
            { path: "c", deviceNumber: null, descriptor: null, error: "Access is denied." },
          ],
        },
      },
    ]);
    expect([...(await queryDeviceIds(executor, ["\\\\?\\a", "b", "c"]))]).toEqual([
      ["\\\\?\\a", { deviceNumber: 0, page83: "Google  persistent-disk-0" }],
      ["b", { deviceNumber: 1, page83: hex }],
      ["c", { error: "Access is denied." }],
    ]);
  });

  test("asks for nothing where there are no paths", async () => {
    expect((await queryDeviceIds(new RecordedExecutor([]), [])).size).toBe(0);
  });

  test("splits what does not fit into one parameter", async () => {
    const executor = new RecordedExecutor([{ op: "disk.deviceIds", reply: { ok: true, data: [] } }]);
    const paths = Array.from({ length: 500 }, (_, index) => `\\\\?\\scsi#disk&ven_msft&prod_virtual_disk#${index}#{53f56307-b6bf-11d0}`);
    await queryDeviceIds(executor, paths);
    const asked = executor.calls.map(({ params }) => params.disk_paths ?? "");
    expect(asked.length).toBeGreaterThan(1);
    expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(32_767);
    expect(asked.flatMap((paths) => JSON.parse(paths))).toEqual(paths);
  });
});
