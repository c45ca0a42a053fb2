import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCsiProxy } from "../csi-proxy.ts";
import { NodeVolumes } from "../example/node-volumes.ts";
import type { Executor } from "../powershell/executor.ts";
import { FolderPaths, mortalExecutor, SimulatedHost } from "./index.ts";

const gibibyte = 2n ** 30n;
const page83 = "vol-1";
const stagingPath = "C:\\staging";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

function newWorld() {
  const hostRoot = mkdtempSync(join(tmpdir(), "driver-death-"));
  roots.push(hostRoot);
  const host = new SimulatedHost({ paths: new FolderPaths(hostRoot) });
  host.disks.attach({ size: gibibyte, page83: "boot", isOffline: false });
  const { partitions, number } = host.disks.attach({ size: 4n * gibibyte, page83 });
  const driver = (executor: Executor = host) => new NodeVolumes(createCsiProxy({ executor, hostRoot }));
  return { host, hostRoot, partitions, number, driver };
}

type World = ReturnType<typeof newWorld>;
type Call = (driver: NodeVolumes) => Promise<unknown>;

const stage: Call = (driver) => driver.stage(page83, stagingPath);
const expand: Call = (driver) => driver.expand(stagingPath);
const unstage: Call = (driver) => driver.unstage(page83, stagingPath);

/** Lets a driver die at each operation of a call in turn; `check` sees what the next one makes of it. */
async function atEveryDeath(call: Call, check: (world: World, dieAndReturn: () => Promise<unknown>) => Promise<void>): Promise<number> {
  for (let nth = 1; ; nth++) {
    let isAlive = true;
    for (const last of ["never ran", "ran unseen"] as const) {
      const world = newWorld();
      await check(world, async () => {
        const outcome = await call(world.driver(mortalExecutor(world.host, nth, last))).catch((error) => error);
        isAlive &&= !(outcome instanceof Error);
        world.host.calls.length = 0;
        await call(world.driver());
      });
    }
    if (isAlive) return nth - 1;
  }
}

describe("on a simulated host, the driver of the README that dies at any operation", () => {
  test("stages the volume when it comes back, with one partition and one format", async () => {
    const deaths = await atEveryDeath(stage, async ({ host, partitions }, dieAndReturn) => {
      await dieAndReturn();
      const [reserved, basic, ...more] = partitions;
      expect([reserved?.volume, more]).toEqual([undefined, []]);
      expect(basic?.volume?.fileSystemType).toBe(14);
      expect(host.reparsePoints.volumeAt(stagingPath)).toBe(basic?.volume?.uniqueId);
      expect(host.operations.filter((op) => op === "volume.format").length).toBeLessThanOrEqual(1);
    });
    expect(deaths).toBe(16);
  });

  test("never formats a volume that has data", async () => {
    await atEveryDeath(stage, async ({ host, partitions, driver }, dieAndReturn) => {
      await stage(driver());
      const volume = partitions[1]!.volume!;
      volume.used = 5n;
      host.reparsePoints.removeMountPoint(stagingPath);
      await dieAndReturn();
      expect(volume.used).toBe(5n);
      expect(host.reparsePoints.volumeAt(stagingPath)).toBe(volume.uniqueId);
    });
  });

  test("has grown the volume when it comes back", async () => {
    const deaths = await atEveryDeath(expand, async ({ host, partitions, number, driver }, dieAndReturn) => {
      await stage(driver());
      host.disks.grow(number, 8n * gibibyte);
      await dieAndReturn();
      expect(partitions[1]!.size).toBe(8n * gibibyte - 18n * 2n ** 20n);
    });
    expect(deaths).toBe(7);
  });

  test("has unmounted the volume and taken its disk offline, with everything written", async () => {
    const deaths = await atEveryDeath(unstage, async ({ host, hostRoot, partitions, number, driver }, dieAndReturn) => {
      await stage(driver());
      await dieAndReturn();
      expect(host.reparsePoints.volumeAt(stagingPath)).toBeUndefined();
      expect(existsSync(join(hostRoot, "C/staging"))).toBe(false);
      expect(host.disks.get(number)?.isOffline).toBe(true);
      expect(host.volumes.flushed).toContain(partitions[1]!.volume!.uniqueId);
    });
    expect(deaths).toBe(8);
  });
});
