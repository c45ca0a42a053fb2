import { describe, expect, test } from "bun:test";
import { recordingLogger } from "@csi-sidecars/base/testing";
import type { CsiProxyError } from "../csi-proxy-error.ts";
import type { Envelope } from "../powershell/executor.ts";
import { RecordedExecutor, type RecordedReply } from "../powershell/recorded-executor.ts";
import type { VolumeHostApi } from "./host-api.ts";
import { windowsVolumeHostApi } from "./host-api.windows.ts";

const id = "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\";
const ok = (data: unknown): Envelope => ({ ok: true, data });
const notFound: Envelope = { ok: false, error: { message: "no such thing", category: "ObjectNotFound" } };
const failure = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    () => undefined!,
    (error) => error,
  );

function recorded(...replies: RecordedReply[]) {
  const executor = new RecordedExecutor(replies);
  const log = recordingLogger();
  return { executor, log, host: windowsVolumeHostApi(executor, { log }) };
}

describe("windowsVolumeHostApi over recorded answers", () => {
  test.each<[string, Envelope, string[]]>([
    [
      "in the order of the partitions",
      ok([
        { partitionNumber: 3, uniqueId: "b" },
        { partitionNumber: 2, uniqueId: "a" },
      ]),
      ["b", "a"],
    ],
    ["one is still a list", ok([{ partitionNumber: 2, uniqueId: id }]), [id]],
    [
      "empty ids are dropped",
      ok([
        { partitionNumber: 1, uniqueId: "" },
        { partitionNumber: 1, uniqueId: null },
        { partitionNumber: 2, uniqueId: id },
      ]),
      [id],
    ],
    ["no volumes", ok([]), []],
    ["no such disk", notFound, []],
  ])("listVolumesOnDisk: %s", async (_, reply, expected) => {
    const { executor, host } = recorded({ op: "volume.list", reply });
    expect(await host.listVolumesOnDisk(3, 0)).toEqual(expected);
    expect(executor.calls).toEqual([{ op: "volume.list", params: { disk_number: "3", partition_number: "0" } }]);
  });

  test.each<[string, number, boolean]>([
    ["unknown", 0, false],
    ["NTFS", 14, true],
    ["FAT32", 6, true],
    ["ReFS", 15, true],
  ])("isVolumeFormatted: %s", async (_, fileSystemType, formatted) => {
    // Windows knows no size of a volume without a file system.
    const { host } = recorded({
      op: "volume.get",
      params: { volumeID: id },
      reply: ok({ uniqueId: id, fileSystemType, size: "", sizeRemaining: "" }),
    });
    expect(await host.isVolumeFormatted(id)).toBe(formatted);
  });

  test("getVolumeStats keeps all digits", async () => {
    const { host } = recorded({
      op: "volume.get",
      reply: ok({ fileSystemType: 14, size: "18014398509481985", sizeRemaining: "18014398509481984" }),
    });
    expect(await host.getVolumeStats(id)).toEqual({ totalBytes: 18014398509481985n, usedBytes: 1n });
  });

  test("mountVolume ends the path in a backslash, once", async () => {
    const { executor, host } = recorded({ op: "volume.addMountPoint", reply: ok({ win32: 0 }) });
    await host.mountVolume(id, "C:\\m");
    await host.mountVolume(id, "C:\\m\\");
    expect(executor.calls).toEqual(Array(2).fill({ op: "volume.addMountPoint", params: { volumeID: id, mountpath: "C:\\m\\" } }));
  });

  test("unmountVolume writes the cache first", async () => {
    const { executor, host } = recorded(
      { op: "volume.flush", reply: ok({ returnValue: 0 }) },
      { op: "volume.removeMountPoint", reply: ok({ win32: 0 }) },
    );
    await host.unmountVolume(id, "C:\\m");
    expect(executor.calls).toEqual([
      { op: "volume.flush", params: { volumeID: id } },
      { op: "volume.removeMountPoint", params: { volumeID: id, mountpath: "C:\\m\\" } },
    ]);
  });

  const partition = {
    op: "volume.partition",
    params: { volumeID: id },
    reply: ok({ diskNumber: 3, partitionNumber: 2, size: "1073741824" }),
  };

  test("resizeVolume asks for the largest size only where none is given, and refreshes the disk", async () => {
    const replies: RecordedReply[] = [
      partition,
      { op: "volume.supportedSize", reply: ok({ returnValue: 0, sizeMin: "1", sizeMax: "18014398509481985" }) },
      { op: "volume.resize", reply: ok({ returnValue: 0 }) },
      { op: "disk.refresh", reply: ok({ returnValue: 0 }) },
    ];
    const largest = recorded(...replies);
    expect(await largest.host.resizeVolume(id, 0n)).toBe(true);
    expect(largest.executor.calls).toEqual([
      { op: "volume.partition", params: { volumeID: id } },
      { op: "volume.supportedSize", params: { volumeID: id } },
      { op: "volume.resize", params: { volumeID: id, size_bytes: "18014398509481985" } },
      { op: "disk.refresh", params: { disk_number: "3" } },
    ]);
    const given = recorded(...replies);
    expect(await given.host.resizeVolume(id, 2147483648n)).toBe(true);
    expect(given.executor.calls.map(({ op }) => op)).toEqual(["volume.partition", "volume.resize", "disk.refresh"]);
    expect([...largest.log.lines, ...given.log.lines]).toEqual([]);
  });

  test("resizeVolume says so when it does not resize", async () => {
    const { executor, log, host } = recorded(partition);
    expect(await host.resizeVolume(id, 1073741824n + 104857599n)).toBe(false);
    expect(await host.resizeVolume(id, 1n)).toBe(false);
    expect(await host.resizeVolume(id, 1073741824n)).toBe(false);
    expect(log.lines.map(({ message }) => message)).toEqual([
      `Warning: volume ${id}: growing from 1073741824 to 1178599423 bytes is less than 100 MiB and is not done`,
      `Warning: volume ${id}: shrinking from 1073741824 to 1 bytes is not done`,
    ]);
    await executor.close();
  });

  const code5 = ok({ returnValue: 5 });

  test.each<[RecordedReply[], (host: VolumeHostApi) => Promise<unknown>, string]>([
    [[{ op: "volume.get", reply: ok(null) }], (host) => host.getVolumeStats(id), `error querying volume (${id}). error: volume not found`],
    [
      [{ op: "volume.get", reply: ok({ fileSystemType: "x" }) }],
      (host) => host.isVolumeFormatted(id),
      `error querying volume (${id}). error: volume.get: malformed answer: data.fileSystemType is not an unsigned 32-bit integer`,
    ],
    [
      [{ op: "volume.format", reply: code5 }],
      (host) => host.formatVolume(id),
      `error formatting volume (${id}). error: WMI MSFT_Volume.Format failed (target=${id}): code=5`,
    ],
    [
      [{ op: "volume.flush", reply: code5 }],
      (host) => host.writeVolumeCache(id),
      `error writing volume (${id}) cache. error: WMI MSFT_Volume.Flush failed (target=${id}): code=5`,
    ],
    [
      [{ op: "volume.partition", reply: ok(null) }],
      (host) => host.getDiskNumberFromVolumeId(id),
      `error query disk number of volume (${id}). error: partition of the volume not found`,
    ],
    [
      [{ op: "volume.partition", reply: ok(null) }],
      (host) => host.resizeVolume(id, 0n),
      `error resizing volume (${id}). error: partition of the volume not found`,
    ],
    [
      [partition, { op: "volume.supportedSize", reply: code5 }],
      (host) => host.resizeVolume(id, 0n),
      `error getting the supported size of volume (${id}). error: WMI MSFT_Partition.GetSupportedSize failed (target=${id}): code=5`,
    ],
    [
      [partition, { op: "volume.resize", reply: code5 }],
      (host) => host.resizeVolume(id, 2147483648n),
      `error resizing volume (${id}) from 1073741824 to 2147483648 bytes. error: WMI MSFT_Partition.Resize failed (target=${id}): code=5`,
    ],
    [
      [{ op: "volume.addMountPoint", reply: ok({ win32: 87 }) }],
      (host) => host.mountVolume(id, "C:\\m"),
      `error mount volume (${id}) to path C:\\m. error: Windows refused (Win32 error 87)`,
    ],
    [
      [{ op: "volume.addMountPoint", reply: notFound }],
      (host) => host.mountVolume(id, "C:\\m"),
      `error mount volume (${id}) to path C:\\m. error: no such thing: not found`,
    ],
    [
      [
        { op: "volume.flush", reply: ok({ returnValue: 0 }) },
        { op: "volume.removeMountPoint", reply: ok({ win32: 5 }) },
      ],
      (host) => host.unmountVolume(id, "C:\\m"),
      `error umount volume (${id}) from path C:\\m. error: access denied (Win32 error 5)`,
    ],
    [[{ op: "volume.list", reply: ok(null) }], (host) => host.listVolumesOnDisk(3, 0), "volume.list: malformed answer: data is not a list"],
    [
      [
        { op: "fs.reparseInfo", reply: ok({ exists: true, isReparsePoint: false }) },
        { op: "volume.byDriveLetter", params: { drivepath: "Z" }, reply: ok(null) },
      ],
      (host) => host.getClosestVolumeIdFromTargetPath("Z:\\"),
      "error getting the closest volume for the path=Z:\\, err=volume of drive Z not found",
    ],
  ])("says what failed %#", async (replies, call, message) => {
    const { executor, host } = recorded(...replies);
    expect((await failure(call(host))).message).toBe(message);
    await executor.close();
  });

  test("an operation that fails to answer keeps its code", async () => {
    const { host } = recorded({ op: "volume.get", reply: notFound });
    expect((await failure(host.getVolumeStats(id))).code).toBe("NotFound");
  });
});
