import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Envelope } from "../powershell/executor.ts";
import { RecordedExecutor, type RecordedReply } from "../powershell/recorded-executor.ts";
import { page83Descriptor } from "../testing/index.ts";
import { windowsDiskHostApi } from "./host-api.windows.ts";

const ok = (data: unknown): Envelope => ({ ok: true, data });
const returns = (returnValue: number): Envelope => ok({ returnValue });
const failure = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    () => undefined!,
    (error) => error,
  );

const disk = {
  number: 3,
  path: "\\\\?\\d3",
  serialNumber: null,
  location: null,
  partitionStyle: 2,
  isOffline: false,
  size: "1099511627776",
};
const reserved = { partitionNumber: 1, gptType: "{E3C9E316-0B5C-4DB8-817D-F92DF00215AE}", size: "16777216" };
const basic = { partitionNumber: 2, gptType: "{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}", size: "1000" };

function recorded(...replies: RecordedReply[]) {
  const executor = new RecordedExecutor(replies);
  return { executor, host: windowsDiskHostApi(executor) };
}

describe("windowsDiskHostApi over recorded answers", () => {
  test.each<[string, unknown, "gpt" | "mbr" | false]>([
    ["GPT", { ...disk, partitionStyle: 2 }, "gpt"],
    ["MBR", { ...disk, partitionStyle: 1 }, "mbr"],
    ["raw, whatever its size", { ...disk, partitionStyle: 0, size: "" }, false],
  ])("isDiskInitialized: %s", async (_, answer, expected) => {
    const { executor, host } = recorded({ op: "disk.list", reply: ok([answer]) });
    expect(await host.isDiskInitialized(3)).toBe(expected);
    expect(executor.calls).toEqual([{ op: "disk.list", params: { disk_number: "3" } }]);
  });

  test.each<[string, unknown[], boolean]>([
    ["none", [], false],
    ["only the reserved one, in whatever case", [reserved], false],
    ["a basic one", [reserved, basic], true],
    ["on an MBR disk", [{ ...basic, gptType: null }], true],
  ])("basicPartitionsExist: %s", async (_, partitions, expected) => {
    const { executor, host } = recorded({ op: "disk.partitions", reply: ok(partitions) });
    expect(await host.basicPartitionsExist(3)).toBe(expected);
    expect(executor.calls).toEqual([{ op: "disk.partitions", params: { disk_number: "3" } }]);
  });

  test.each<["gpt" | "mbr", number, string]>([
    ["gpt", 0, "{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}"],
    ["gpt", 42002, "{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}"],
    ["mbr", 0, ""],
  ])("createBasicPartition on %s, code %d", async (table, code, gptType) => {
    const { executor, host } = recorded(
      { op: "disk.createPartition", reply: returns(code) },
      { op: "disk.refresh", reply: returns(0) },
      { op: "disk.partitions", reply: ok([reserved, basic]) },
      { op: "partition.online", reply: returns(0) },
    );
    await host.createBasicPartition(3, table);
    expect(executor.calls).toEqual([
      { op: "disk.createPartition", params: { disk_number: "3", gpt_type: gptType } },
      { op: "disk.refresh", params: { disk_number: "3" } },
      { op: "disk.partitions", params: { disk_number: "3" } },
      { op: "partition.online", params: { disk_number: "3", partition_number: "2" } },
    ]);
  });

  test("createBasicPartition fails where no partition came of it", async () => {
    const { executor, host } = recorded(
      { op: "disk.createPartition", reply: returns(0) },
      { op: "disk.refresh", reply: returns(0) },
      { op: "disk.partitions", reply: ok([reserved]) },
    );
    expect((await failure(host.createBasicPartition(3, "gpt"))).message).toContain("disk 3 has no partition after one was created");
    await executor.close();
  });

  test.each<[string, RecordedReply, (host: ReturnType<typeof windowsDiskHostApi>) => Promise<unknown>, string]>([
    [
      "Initialize",
      { op: "disk.initialize", reply: returns(41001) },
      (host) => host.initializeDisk(3),
      "failed to initialize disk 3: WMI MSFT_Disk.Initialize failed (target=disk 3): code=41001",
    ],
    [
      "CreatePartition",
      { op: "disk.createPartition", reply: returns(4) },
      (host) => host.createBasicPartition(3, "gpt"),
      "failed to create a partition on disk 3: WMI MSFT_Disk.CreatePartition failed (target=disk 3): code=4",
    ],
    [
      "Online",
      { op: "disk.setOnline", params: { disk_number: "3", is_online: "true" }, reply: returns(5) },
      (host) => host.setDiskState(3, true),
      "failed to set disk 3 online: WMI MSFT_Disk.Online failed (target=disk 3): code=5",
    ],
    [
      "Offline",
      { op: "disk.setOnline", params: { disk_number: "3", is_online: "false" }, reply: returns(5) },
      (host) => host.setDiskState(3, false),
      "failed to set disk 3 offline: WMI MSFT_Disk.Offline failed (target=disk 3): code=5",
    ],
    [
      "a rescan",
      { op: "disk.rescan", reply: { ok: false, error: { message: "no access", category: "PermissionDenied" } } },
      (host) => host.rescan(),
      "error updating host storage cache output: no access",
    ],
    [
      "a query",
      { op: "disk.list", reply: new CsiProxyError("DeadlineExceeded", "disk.list: timed out") },
      (host) => host.getDiskStats(3),
      "failed to query disk 3: disk.list: timed out",
    ],
    [
      "a list",
      { op: "disk.list", reply: ok({ number: 1 }) },
      (host) => host.listDiskIds(),
      "failed to list disks: disk.list: malformed answer: data is not a list",
    ],
    [
      "a size beyond JSON's numbers",
      { op: "disk.list", reply: ok([{ ...disk, size: 2 ** 60 }]) },
      (host) => host.getDiskStats(3),
      "failed to query disk 3: disk.list: malformed answer: data[0].size is not a 64-bit size",
    ],
    [
      "an answer without a code",
      { op: "disk.setOnline", reply: ok(null) },
      (host) => host.setDiskState(3, true),
      "failed to set disk 3 online: disk.setOnline: the answer has no returnValue",
    ],
  ])("says what failed: %s", async (_, reply, call, message) => {
    expect((await failure(call(recorded(reply).host))).message).toBe(message);
  });

  test("keeps the code of what failed", async () => {
    const lost = recorded({ op: "disk.list", reply: new CsiProxyError("Unavailable", "the worker died") });
    expect((await failure(lost.host.getDiskState(3))).code).toBe("Unavailable");
    const refused = recorded({ op: "disk.initialize", reply: returns(5) });
    expect((await failure(refused.host.initializeDisk(3))).wmi).toEqual({ class: "MSFT_Disk", method: "Initialize", code: 5 });
  });

  test("listDiskIds asks for all disks and their devices, and warns of those that do not answer", async () => {
    const executor = new RecordedExecutor([
      {
        op: "disk.list",
        params: { disk_number: "" },
        reply: ok([disk, { ...disk, number: 4, path: "\\\\?\\d4", serialNumber: "  7 " }, { ...disk, number: 5, path: null }]),
      },
      {
        op: "disk.deviceIds",
        reply: ok([
          { path: "\\\\?\\d3", deviceNumber: 3, descriptor: null, error: "IOCTL_STORAGE_QUERY_PROPERTY failed: Incorrect function." },
          { path: "\\\\?\\d4", deviceNumber: 4, descriptor: Buffer.from(page83Descriptor("id-4")).toString("base64"), error: null },
        ]),
      },
    ]);
    const log = recordingLogger();
    const found = await windowsDiskHostApi(executor, { log }).listDiskIds();
    expect([...found].sort(([one], [other]) => one - other)).toEqual([
      [3, { page83: "", serialNumber: "" }],
      [4, { page83: "id-4", serialNumber: "  7 " }],
      [5, { page83: "", serialNumber: "" }],
    ]);
    expect(log.lines.map(({ message }) => message)).toEqual([
      "Warning: could not read the page 83 identifier of disk 3: IOCTL_STORAGE_QUERY_PROPERTY failed: Incorrect function.",
      "Warning: could not read the page 83 identifier of disk 5: no answer",
    ]);
    expect(executor.calls.at(-1)?.params).toEqual({ disk_paths: '["\\\\\\\\?\\\\d3","\\\\\\\\?\\\\d4"]' });
  });

  test("disks without a number, those of other nodes of a cluster, hide no others", async () => {
    const location = "PCI Slot 3 : Adapter 0 : Bus 0 : Target 1 : LUN 0";
    const remote = { ...disk, number: null, path: "\\\\?\\remote", location };
    const { host, executor } = recorded(
      { op: "disk.list", reply: ok([remote, { ...disk, location }]) },
      { op: "disk.deviceIds", reply: ok([{ path: disk.path, deviceNumber: 3, descriptor: null, error: "no" }]) },
    );
    expect([...(await host.listDiskLocations()).keys()]).toEqual([3]);
    expect([...(await host.listDiskIds()).keys()]).toEqual([3]);
    expect(executor.calls.at(-1)?.params).toEqual({ disk_paths: JSON.stringify([disk.path]) });
  });

  test("warns once of an unknown name in locations", async () => {
    const location = "PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 0";
    const executor = new RecordedExecutor([
      {
        op: "disk.list",
        reply: ok([
          { ...disk, location },
          { ...disk, number: 4, location },
        ]),
      },
    ]);
    const log = recordingLogger();
    const host = windowsDiskHostApi(executor, { log });
    expect([...(await host.listDiskLocations()).keys()]).toEqual([3, 4]);
    await host.listDiskLocations();
    expect(log.lines.map(({ message }) => message)).toEqual([
      'Warning: "Port" in the location of disk 3 is not known and ignored, here and on other disks',
    ]);
  });

  test("getDiskNumberByName compares exactly, and finds no disk by an empty name", async () => {
    const replies: RecordedReply[] = [
      { op: "disk.list", reply: ok([{ ...disk, number: 4, path: null }, disk]) },
      {
        op: "disk.deviceIds",
        reply: ok([{ path: disk.path, deviceNumber: 9, descriptor: Buffer.from(page83Descriptor("id")).toString("base64") }]),
      },
    ];
    expect(await recorded(...replies).host.getDiskNumberByName("id")).toBe(9);
    for (const name of ["ID", "i", ""]) {
      const { code, message } = await failure(recorded(...replies).host.getDiskNumberByName(name));
      expect([code, message]).toEqual(["NotFound", `could not find disk with Page83 ID ${name}: not found`]);
    }
  });
});
