import { describe, expect, test } from "bun:test";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { SimulatedHost } from "../testing/index.ts";
import { Disk } from "./disk.ts";
import { windowsDiskHostApi } from "./host-api.windows.ts";

const gibibyte = 2n ** 30n;

function simulated() {
  const host = new SimulatedHost();
  return { host, disk: new Disk(windowsDiskHostApi(host)) };
}

const codeOf = (call: Promise<unknown>) => call.then(() => "OK").catch((error: CsiProxyError) => error.code);

describe("Disk on a simulated host", () => {
  test("partitions a new disk, once", async () => {
    const { host, disk } = simulated();
    const { number, partitions } = host.disks.attach({ size: 10n * gibibyte });
    expect(await disk.partitionDisk({ diskNumber: number })).toEqual({});
    expect(host.operations).toEqual([
      "disk.list",
      "disk.initialize",
      "disk.partitions",
      "disk.createPartition",
      "disk.refresh",
      "disk.partitions",
      "partition.online",
    ]);
    expect(partitions.map(({ gptType, isOnline }) => [gptType, isOnline])).toEqual([
      ["{e3c9e316-0b5c-4db8-817d-f92df00215ae}", true],
      ["{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}", true],
    ]);
    host.calls.length = 0;
    await disk.partitionDisk({ diskNumber: number });
    expect(host.operations).toEqual(["disk.list", "disk.partitions"]);
  });

  test("gives an MBR disk a partition without a GPT type, and takes it for one afterwards", async () => {
    const { host, disk } = simulated();
    const { number, partitions } = host.disks.attach({ size: gibibyte, partitionStyle: 1 });
    await disk.partitionDisk({ diskNumber: number });
    expect(host.operations).not.toContain("disk.initialize");
    expect(partitions.map(({ gptType }) => gptType)).toEqual([null]);
    await disk.partitionDisk({ diskNumber: number });
    expect(partitions).toHaveLength(1);
  });

  test("partitions a disk once for two calls at the same time", async () => {
    const { host, disk } = simulated();
    const { number, partitions } = host.disks.attach({ size: gibibyte });
    await Promise.all([disk.partitionDisk({ diskNumber: number }), disk.partitionDisk({ diskNumber: number })]);
    expect(host.operations.filter((op) => op === "disk.createPartition")).toHaveLength(1);
    expect(partitions).toHaveLength(2);
  });

  test("sets the state only where it differs", async () => {
    const { host, disk } = simulated();
    const { number } = host.disks.attach({ size: gibibyte });
    expect(await disk.getDiskState({ diskNumber: number })).toEqual({ isOnline: false });
    expect(await disk.setDiskState({ diskNumber: number, isOnline: true })).toEqual({});
    expect(await disk.getDiskState({ diskNumber: number })).toEqual({ isOnline: true });
    await disk.setDiskState({ diskNumber: number, isOnline: true });
    await disk.setDiskState({ diskNumber: number, isOnline: false });
    expect(host.calls.flatMap(({ op, params }) => (op === "disk.setOnline" ? [params] : []))).toEqual([
      { disk_number: "0", is_online: "true" },
      { disk_number: "0", is_online: "false" },
    ]);
  });

  test("sees a larger device after a rescan", async () => {
    const { host, disk } = simulated();
    const { number } = host.disks.attach({ size: 2n ** 60n });
    host.disks.grow(number, 2n ** 60n + 1n);
    expect(await disk.getDiskStats({ diskNumber: number })).toEqual({ totalBytes: 2n ** 60n });
    await disk.rescan();
    expect(await disk.getDiskStats({ diskNumber: number })).toEqual({ totalBytes: 2n ** 60n + 1n });
  });

  test("lists locations and ids by disk number", async () => {
    const { host, disk } = simulated();
    host.disks.attach({ size: gibibyte, location: null, page83: "boot", serialNumber: null });
    host.disks.attach({ size: gibibyte, page83: "Google  persistent-disk-1", serialNumber: "  WD 1  " });
    expect(await disk.listDiskLocations()).toEqual({
      diskLocations: new Map([[1, { adapter: "0", bus: "", target: "0", lunId: "1" }]]),
    });
    expect(await disk.listDiskIds()).toEqual({
      diskIds: new Map([
        [0, { page83: "boot", serialNumber: "" }],
        [1, { page83: "Google  persistent-disk-1", serialNumber: "  WD 1  " }],
      ]),
    });
    expect(await disk.getDiskNumberByName({ diskName: "Google  persistent-disk-1" })).toEqual({ diskNumber: 1 });
  });

  test.each([1.5, -1, 2 ** 32, Number.NaN, "1" as unknown as number])(
    "rejects %p as a disk number before it asks the host",
    async (diskNumber) => {
      const { host, disk } = simulated();
      const calls = [
        disk.partitionDisk({ diskNumber }),
        disk.getDiskStats({ diskNumber }),
        disk.setDiskState({ diskNumber, isOnline: true }),
        disk.getDiskState({ diskNumber }),
      ];
      expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => "InvalidArgument"));
      expect(host.calls).toEqual([]);
    },
  );

  test("says which disk is missing", async () => {
    const { disk } = simulated();
    const error: CsiProxyError = await disk.getDiskStats({ diskNumber: 7 }).then(
      () => undefined!,
      (error) => error,
    );
    expect(error).toBeInstanceOf(CsiProxyError);
    expect([error.code, error.message]).toEqual(["NotFound", "failed to query disk 7: not found"]);
    expect(await codeOf(disk.partitionDisk({ diskNumber: 4294967295 }))).toBe("NotFound");
  });
});
