import { describe, expect, test } from "bun:test";
import type { CsiProxyError } from "../csi-proxy-error.ts";
import { Disk } from "../disk/disk.ts";
import { windowsDiskHostApi } from "../disk/host-api.windows.ts";
import { MemoryPaths, SimulatedHost } from "../testing/index.ts";
import { windowsVolumeHostApi } from "./host-api.windows.ts";
import { Volume } from "./volume.ts";

const gibibyte = 2n ** 30n;
const target = "C:\\var\\lib\\kubelet\\plugins\\x\\globalmount";

async function withVolume(size = gibibyte) {
  const paths = new MemoryPaths();
  paths.mkdir(target);
  const host = new SimulatedHost({ paths });
  const disk = new Disk(windowsDiskHostApi(host));
  const volume = new Volume(windowsVolumeHostApi(host));
  const { number } = host.disks.attach({ size });
  await disk.partitionDisk({ diskNumber: number });
  await disk.setDiskState({ diskNumber: number, isOnline: true });
  const [volumeId = ""] = (await volume.listVolumesOnDisk({ diskNumber: number, partitionNumber: 0 })).volumeIds;
  host.calls.length = 0;
  return { paths, host, disk, volume, number, volumeId };
}

const failure = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    () => undefined!,
    (error) => error,
  );

describe("Volume on a simulated host", () => {
  test("from a new disk to a mounted volume and back", async () => {
    const { host, disk, volume, number, volumeId } = await withVolume();
    expect(await volume.isVolumeFormatted({ volumeId })).toEqual({ formatted: false });
    expect(await volume.formatVolume({ volumeId })).toEqual({});
    expect(await volume.isVolumeFormatted({ volumeId })).toEqual({ formatted: true });
    const { totalBytes, usedBytes } = await volume.getVolumeStats({ volumeId });
    expect([totalBytes > gibibyte - 20n * 2n ** 20n, usedBytes]).toEqual([true, 0n]);
    expect(await volume.getDiskNumberFromVolumeId({ volumeId })).toEqual({ diskNumber: number });
    expect(await volume.mountVolume({ volumeId, targetPath: target })).toEqual({});
    expect(await volume.getVolumeIdFromTargetPath({ targetPath: target })).toEqual({ volumeId });

    host.disks.grow(number, (3n * gibibyte) / 2n);
    await disk.rescan();
    expect(await volume.resizeVolume({ volumeId, sizeBytes: 0n })).toEqual({ resized: true });
    expect((await volume.getVolumeStats({ volumeId })).totalBytes).toBe(totalBytes + gibibyte / 2n);
    expect(await volume.resizeVolume({ volumeId, sizeBytes: 0n })).toEqual({ resized: false });

    expect(await volume.unmountVolume({ volumeId, targetPath: target })).toEqual({});
    expect(host.volumes.flushed).toEqual([volumeId]);
    expect((await failure(volume.getVolumeIdFromTargetPath({ targetPath: target }))).code).toBe("FailedPrecondition");
  });

  test("lists the volumes of one partition, and none for a disk that is not there", async () => {
    const { volume, number, volumeId } = await withVolume();
    const list = async (diskNumber: number, partitionNumber?: number) =>
      (await volume.listVolumesOnDisk({ diskNumber, ...(partitionNumber !== undefined && { partitionNumber }) })).volumeIds;
    expect(await list(number)).toEqual([volumeId]);
    expect(await list(number, 2)).toEqual([volumeId]);
    expect(await list(number, 1)).toEqual([]);
    expect(await list(99, 0)).toEqual([]);
    expect((await failure(list(number, -1))).code).toBe("InvalidArgument");
  });

  test("mounting twice is mounting once; another volume or a file in the way is an error", async () => {
    const { paths, host, volume, volumeId } = await withVolume();
    await volume.mountVolume({ volumeId, targetPath: target });
    await volume.mountVolume({ volumeId: volumeId.toUpperCase(), targetPath: `${target}\\` });
    expect(host.reparsePoints.volumeAt(target)).toBe(volumeId);

    const { number } = host.disks.attach({ size: gibibyte, isOffline: false });
    await new Disk(windowsDiskHostApi(host)).partitionDisk({ diskNumber: number });
    const [other = ""] = (await volume.listVolumesOnDisk({ diskNumber: number })).volumeIds;
    const taken = await failure(volume.mountVolume({ volumeId: other, targetPath: target }));
    expect([taken.code, taken.message, taken.win32]).toEqual([
      "FailedPrecondition",
      `error mount volume (${other}) to path ${target}. error: the directory is not empty (Win32 error 145)`,
      145,
    ]);

    await volume.unmountVolume({ volumeId, targetPath: target });
    paths.writeFile(`${target}\\file`);
    expect((await failure(volume.mountVolume({ volumeId, targetPath: target }))).win32).toBe(145);
    host.failNext("fs.reparseInfo", { message: "Access is denied", category: "PermissionDenied", win32: 5 });
    expect((await failure(volume.mountVolume({ volumeId, targetPath: target }))).win32).toBe(5);
    const missing = await failure(volume.mountVolume({ volumeId, targetPath: "C:\\missing" }));
    expect([missing.code, missing.message]).toEqual([
      "NotFound",
      `error mount volume (${volumeId}) to path C:\\missing. error: file not found (Win32 error 2)`,
    ]);
  });

  test("does not unmount what it could not write to disk", async () => {
    const { host, volume, volumeId } = await withVolume();
    await volume.mountVolume({ volumeId, targetPath: target });
    host.failNext("volume.flush", { message: "the device is not ready" });
    const error = await failure(volume.unmountVolume({ volumeId, targetPath: target }));
    expect(error.message).toBe(`error writing volume (${volumeId}) cache. error: the device is not ready`);
    expect(host.reparsePoints.volumeAt(target)).toBe(volumeId);
    const text = `error umount volume (${volumeId}) from path C:\\. error: not a mounted folder (Win32 error 4390)`;
    expect((await failure(volume.unmountVolume({ volumeId, targetPath: "C:\\" }))).message).toBe(text);
  });

  test.each(["\\\\?\\Volume{00000000-0000-0000-0000-000000000000}\\", "-1"])("a volume %s that is not there is not found", async (gone) => {
    const { volume } = await withVolume();
    const calls = [
      volume.isVolumeFormatted({ volumeId: gone }),
      volume.formatVolume({ volumeId: gone }),
      volume.resizeVolume({ volumeId: gone, sizeBytes: 0n }),
      volume.getVolumeStats({ volumeId: gone }),
      volume.getDiskNumberFromVolumeId({ volumeId: gone }),
      volume.mountVolume({ volumeId: gone, targetPath: target }),
      volume.unmountVolume({ volumeId: gone, targetPath: target }),
      volume.writeVolumeCache({ volumeId: gone }),
    ];
    for (const { code, message } of await Promise.all(calls.map(failure))) {
      expect([code, message]).toEqual(["NotFound", expect.stringContaining("not found")]);
      expect(message).toContain(gone);
    }
    const { message } = await failure(volume.isVolumeFormatted({ volumeId: gone }));
    expect(message).toBe(`error querying volume (${gone}). error: volume not found`);
  });

  test.each<[string, (volume: Volume) => Promise<unknown>]>([
    ["MountVolumeRequest.VolumeID is empty", (v) => v.mountVolume({ volumeId: "", targetPath: "" })],
    ["MountVolumeRequest.TargetPath is empty", (v) => v.mountVolume({ volumeId: "x", targetPath: "" })],
    ["volume id empty", (v) => v.unmountVolume({ volumeId: "", targetPath: "" })],
    ["target path empty", (v) => v.unmountVolume({ volumeId: "x", targetPath: "" })],
    ["volume id empty", (v) => v.isVolumeFormatted({ volumeId: "" })],
    ["volume id empty", (v) => v.formatVolume({ volumeId: "" })],
    ["volume id empty", (v) => v.writeVolumeCache({ volumeId: "" })],
    ["volume id empty", (v) => v.resizeVolume({ volumeId: "", sizeBytes: -1n })],
    ["invalid negative size -1 for volume (x)", (v) => v.resizeVolume({ volumeId: "x", sizeBytes: -1n })],
    ["volume id empty", (v) => v.getVolumeStats({ volumeId: "" })],
    ["volume id empty", (v) => v.getDiskNumberFromVolumeId({ volumeId: "" })],
    ["target path is empty", (v) => v.getVolumeIdFromTargetPath({ targetPath: "" })],
    ["target path is empty", (v) => v.getClosestVolumeIdFromTargetPath({ targetPath: "" })],
  ])("%s: rejected before the host is asked", async (text, call) => {
    const host = new SimulatedHost();
    const error = await failure(call(new Volume(windowsVolumeHostApi(host))));
    expect([error.code, error.message]).toEqual(["InvalidArgument", text]);
    expect(host.calls).toEqual([]);
  });
});
