import { describe, expect, test } from "bun:test";
import { Disk } from "../disk/disk.ts";
import { windowsDiskHostApi } from "../disk/host-api.windows.ts";
import type { Executor } from "../powershell/executor.ts";
import { windowsVolumeHostApi } from "../volume/host-api.windows.ts";
import { Volume } from "../volume/volume.ts";
import { MemoryPaths, SimulatedHost } from "./index.ts";

const gibibyte = 2n ** 30n;
const targetPath = "C:\\staging";

/** What happened to the operation during which the driver died. */
type Fate = "never ran" | "ran unseen";

/** Reaches the host until the driver dies: at its nth operation. */
function mortal(host: SimulatedHost, nth: number, fate: Fate): Executor {
  let count = 0;
  return {
    async run(op, params, options) {
      count++;
      if (count === nth && fate === "ran unseen") await host.run(op, params, options);
      if (count >= nth) throw new Error("the driver is dead");
      return host.run(op, params, options);
    },
    async close() {},
  };
}

function handlers(executor: Executor) {
  return { disk: new Disk(windowsDiskHostApi(executor)), volume: new Volume(windowsVolumeHostApi(executor)) };
}

/** Finds the disk by its id, and makes its one volume available in the staging directory. */
async function stage(executor: Executor): Promise<string> {
  const { disk, volume } = handlers(executor);
  const [diskNumber = -1] = [...(await disk.listDiskIds()).diskIds].find(([, { page83 }]) => page83 === "vol-1") ?? [];
  await disk.partitionDisk({ diskNumber });
  await disk.setDiskState({ diskNumber, isOnline: true });
  const [volumeId = ""] = (await volume.listVolumesOnDisk({ diskNumber })).volumeIds;
  if (!(await volume.isVolumeFormatted({ volumeId })).formatted) await volume.formatVolume({ volumeId });
  await volume.mountVolume({ volumeId, targetPath });
  return volumeId;
}

async function expand(executor: Executor): Promise<void> {
  const { disk, volume } = handlers(executor);
  await disk.rescan();
  const { volumeId } = await volume.getVolumeIdFromTargetPath({ targetPath });
  await volume.resizeVolume({ volumeId, sizeBytes: 0n });
}

/** What is not mounted any more needs no unmounting; the disk is found by its id. */
async function unstage(executor: Executor): Promise<void> {
  const { disk, volume } = handlers(executor);
  const [diskNumber = -1] = [...(await disk.listDiskIds()).diskIds].find(([, { page83 }]) => page83 === "vol-1") ?? [];
  try {
    const { volumeId } = await volume.getVolumeIdFromTargetPath({ targetPath });
    await volume.unmountVolume({ volumeId, targetPath });
  } catch (error) {
    if (!String(error).includes("not a mounted folder")) throw error;
  }
  await disk.setDiskState({ diskNumber, isOnline: false });
}

function newHost() {
  const paths = new MemoryPaths();
  paths.mkdir(targetPath);
  const host = new SimulatedHost({ paths });
  host.disks.attach({ size: gibibyte, page83: "boot", isOffline: false });
  const { partitions, number } = host.disks.attach({ size: 4n * gibibyte, page83: "vol-1" });
  return { host, partitions, number };
}

/** Lets a driver die at each operation of a sequence in turn; `check` sees what the next one makes of it. */
async function atEveryDeath(
  sequence: (executor: Executor) => Promise<unknown>,
  check: (world: ReturnType<typeof newHost>, before: (world: ReturnType<typeof newHost>) => Promise<unknown>) => Promise<void>,
): Promise<number> {
  for (let nth = 1; ; nth++) {
    let isAlive = true;
    for (const fate of ["never ran", "ran unseen"] as const) {
      await check(newHost(), async ({ host }) => {
        const outcome = await sequence(mortal(host, nth, fate)).catch((error) => error);
        isAlive &&= !(outcome instanceof Error);
        host.calls.length = 0;
        await sequence(host);
      });
    }
    if (isAlive) return nth - 1;
  }
}

describe("on a simulated host, a driver that dies at any operation", () => {
  test("stages the volume when it comes back, with one partition and one format", async () => {
    const deaths = await atEveryDeath(stage, async (world, dieAndReturn) => {
      await dieAndReturn(world);
      const [reserved, basic, ...more] = world.partitions;
      expect([reserved?.volume, more]).toEqual([undefined, []]);
      expect(basic?.volume?.fileSystemType).toBe(14);
      expect(world.host.reparsePoints.volumeAt(targetPath)).toBe(basic?.volume?.uniqueId);
      expect(world.host.operations.filter((op) => op === "volume.format").length).toBeLessThanOrEqual(1);
    });
    expect(deaths).toBe(15);
  });

  test("never formats a volume that has data", async () => {
    await atEveryDeath(stage, async (world, dieAndReturn) => {
      await stage(world.host);
      const volume = world.partitions[1]!.volume!;
      volume.used = 5n;
      world.host.reparsePoints.removeMountPoint(targetPath);
      await dieAndReturn(world);
      expect(volume.used).toBe(5n);
      expect(world.host.reparsePoints.volumeAt(targetPath)).toBe(volume.uniqueId);
    });
  });

  test("has grown the volume when it comes back", async () => {
    const deaths = await atEveryDeath(expand, async (world, dieAndReturn) => {
      await stage(world.host);
      world.host.disks.grow(world.number, 8n * gibibyte);
      await dieAndReturn(world);
      expect(world.partitions[1]!.size).toBe(8n * gibibyte - 18n * 2n ** 20n);
    });
    expect(deaths).toBe(6);
  });

  test("has unmounted the volume and taken its disk offline, with everything written", async () => {
    const deaths = await atEveryDeath(unstage, async (world, dieAndReturn) => {
      const volumeId = await stage(world.host);
      await dieAndReturn(world);
      expect(world.host.reparsePoints.volumeAt(targetPath)).toBeUndefined();
      expect(world.host.disks.get(world.number)?.isOffline).toBe(true);
      expect(world.host.volumes.flushed).toContain(volumeId);
    });
    expect(deaths).toBe(7);
  });
});
