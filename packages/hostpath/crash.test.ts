import { describe, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Channel, type DriverClient, driverClient } from "@csi-sidecars/csi";
import { type HostpathDriver, startHostpathDriver } from "./driver.ts";
import { runProgram } from "./run-program.ts";
import type { Checkpoint } from "./state/checkpoint.ts";
import { type AppendFile, openAppendFile } from "./state/durable-file.ts";
import { outcome, startWorld } from "./testing/driver-world.ts";
import { create, fromSnapshot, fromVolume, mount, named, snap } from "./testing/requests.ts";
import { torture } from "./testing/torture.ts";

/** An append file that tells before and after each step, and can be made to fail. */
function watched(file: AppendFile, moment: (name: string) => void, failing: () => string | undefined): AppendFile {
  const fail = (step: string) => {
    if (failing() === step) throw new Error(`ENOSPC: no space left on device, ${step}`);
  };
  return {
    async append(bytes, at) {
      moment("before append");
      await file.append(bytes.subarray(0, bytes.length >> 1), at);
      moment("half appended");
      fail("append");
      await file.append(bytes.subarray(bytes.length >> 1), at + (bytes.length >> 1));
      moment("appended");
    },
    async sync() {
      fail("sync");
      await file.sync();
      moment("synced");
    },
    async truncate(length) {
      fail("truncate");
      await file.truncate(length);
      moment("truncated");
    },
    close: () => file.close(),
  };
}

/** Each volume and snapshot has its data, and no data is without its record. */
async function expectConsistent(stateDir: string, { volumes, snapshots, groups }: Checkpoint): Promise<void> {
  const files = ["state.json", "state.journal", ".pending", ".in-use"];
  const entries = (await readdir(stateDir)).filter((name) => !files.includes(name)).sort();
  expect(entries).toEqual([...volumes.map(({ id }) => id), ...snapshots.map(({ id }) => `${id}.snap`)].sort());
  expect(await readdir(join(stateDir, ".pending"))).toEqual([]);
  for (const { snapshotIds } of groups) for (const id of snapshotIds) expect(snapshots.map((snapshot) => snapshot.id)).toContain(id);
  for (const { groupId } of snapshots) if (groupId) expect(groups.map(({ id }) => id)).toContain(groupId);
}

describe("killed at any moment of a call, the next start finds a whole state, and the call can be repeated", () => {
  type Step = (
    client: DriverClient,
    ids: { readonly a: string; readonly b: string; readonly s: string; readonly g: string; readonly target: string },
  ) => Promise<unknown>;
  test.each<[string, Step]>([
    ["CreateVolume", ({ controller }) => controller.createVolume(named("new"))],
    ["CreateVolume from a snapshot", ({ controller }, { s }) => controller.createVolume({ ...named("new"), ...fromSnapshot(s) })],
    ["CreateVolume from a volume", ({ controller }, { a }) => controller.createVolume({ ...named("new"), ...fromVolume(a) })],
    ["DeleteVolume", ({ controller }, { a }) => controller.deleteVolume({ volumeId: a })],
    ["CreateSnapshot", ({ controller }, { a }) => controller.createSnapshot({ name: "new", sourceVolumeId: a })],
    ["DeleteSnapshot", ({ controller }, { s }) => controller.deleteSnapshot({ snapshotId: s })],
    [
      "CreateVolumeGroupSnapshot",
      ({ groupController }, { a, b }) => groupController.createVolumeGroupSnapshot({ name: "new", sourceVolumeIds: [a, b] }),
    ],
    ["DeleteVolumeGroupSnapshot", ({ groupController }, { g }) => groupController.deleteVolumeGroupSnapshot({ groupSnapshotId: g })],
    [
      "ControllerExpandVolume",
      ({ controller }, { a }) => controller.controllerExpandVolume({ volumeId: a, capacityRange: { requiredBytes: 1n << 31n } }),
    ],
    [
      "NodePublishVolume of an ephemeral volume",
      ({ node }, { target: targetPath }) =>
        node.nodePublishVolume({
          ...{ volumeId: "e", targetPath, volumeCapability: mount() },
          volumeContext: { "csi.storage.k8s.io/ephemeral": "true" },
        }),
    ],
    ["NodeStageVolume", ({ node }, { a }) => node.nodeStageVolume({ volumeId: a, stagingTargetPath: "/s", volumeCapability: mount() })],
  ])("%s", async (_, step) => {
    const images = await mkdtemp(join(tmpdir(), "hostpath-images-"));
    let taking = false;
    const taken: string[] = [];
    const image = (name: string) => {
      if (!taking) return;
      const copy = join(images, `${taken.length} ${name}`);
      cpSync(world.stateDir, copy, { recursive: true, filter: (path) => !path.endsWith(".in-use") });
      taken.push(copy);
    };
    await using world = await startWorld({
      mountMode: "none",
      openFile: async (path) => watched(await openAppendFile(path), image, () => undefined),
      async runProgram(program, args) {
        const output = await runProgram(program, args);
        image(`${program} ran`);
        return output;
      },
    });
    const [a, b] = [await create(world, named("a")), await create(world, named("b"))];
    await writeFile(join(world.stateDir, a, "file"), "data");
    const s = await snap(world, "s", a);
    const { groupSnapshot } = await world.client.groupController.createVolumeGroupSnapshot({ name: "g", sourceVolumeIds: [a, b] });
    const ids = { a, b, s, g: groupSnapshot!.groupSnapshotId, target: join(images, "target") };
    const before = comparable(world.driver.state);
    taking = true;
    await step(world.client, ids);
    image("answered");
    taking = false;
    const after = comparable(world.driver.state);
    expect(after).not.toEqual(before);
    expect(taken.length).toBeGreaterThanOrEqual(5);

    for (const stateDir of taken) {
      const driver = await startHostpathDriver({ nodeId: "node-1", endpoint: join(images, "csi.sock"), stateDir, mountMode: "none" });
      const channel = new Channel({ target: driver.target });
      try {
        await expectConsistent(stateDir, driver.state);
        const found = comparable(driver.state);
        expect([before, after]).toContainEqual(found);
        expect(await outcome(step(driverClient(channel), ids))).toBe("OK");
        expect(comparable(driver.state)).toEqual(after);
        await expectConsistent(stateDir, driver.state);
      } finally {
        channel.close();
        await driver.stop();
      }
    }
    await rm(images, { recursive: true });
  });
});

/** What of a state does not depend on where it is and when it came to be. */
function comparable({ volumes, snapshots, groups }: Checkpoint) {
  return {
    volumes: volumes
      .map(({ name, size, staged, published, parentSnapshotId, parentVolumeId }) =>
        [name, size, staged, published.map(({ target }) => target), parentSnapshotId, parentVolumeId].join(),
      )
      .sort(),
    snapshots: snapshots.map(({ name, volumeId }) => [name, volumeId].join()).sort(),
    groups: groups.map(({ name, sourceVolumeIds }) => [name, sourceVolumeIds].join()).sort(),
  };
}

describe("when the state cannot be written", () => {
  async function failingWorld() {
    let failing: string | undefined;
    const world = await startWorld({
      openFile: async (path) =>
        watched(
          await openAppendFile(path),
          () => {},
          () => failing,
        ),
    });
    return Object.assign(world, {
      fail(step: string | undefined) {
        failing = step;
      },
    });
  }

  test.each(["append", "sync"])("a call fails at %s with nothing done, and succeeds later", async (step) => {
    await using world = await failingWorld();
    const kept = await create(world, named("kept"));
    const snapshot = await snap(world, "s", kept);
    const { controller } = world.client;
    world.fail(step);
    const failure = `Internal: cannot write the state: ENOSPC: no space left on device, ${step}`;
    expect(await outcome(controller.createVolume(named("new")))).toBe(failure);
    expect(await outcome(controller.deleteVolume({ volumeId: kept }))).toBe(failure);
    expect(await outcome(controller.deleteSnapshot({ snapshotId: snapshot }))).toBe(failure);
    expect(await outcome(controller.createSnapshot({ name: "t", sourceVolumeId: kept }))).toBe(failure);
    await expectConsistent(world.stateDir, world.driver.state);
    world.fail(undefined);
    const id = await create(world, named("new"));
    await world.restart("kill");
    expect(world.driver.state.volumes.map((volume) => volume.id)).toEqual([kept, id]);
    await expectConsistent(world.stateDir, world.driver.state);
  });

  test("half a line that could not be cut off is cut off before the next one", async () => {
    await using world = await failingWorld();
    let failures = 0;
    await world.restart("kill", {
      openFile: async (path) => {
        const file = await openAppendFile(path);
        return {
          ...file,
          async append(bytes, at) {
            if (failures++ === 0) {
              await file.append(bytes.subarray(0, 10), at);
              throw new Error("EIO");
            }
            await file.append(bytes, at);
          },
          async truncate(length) {
            if (failures === 1) throw new Error("EIO");
            await file.truncate(length);
          },
        };
      },
    });
    const results = [];
    for (const name of ["a", "b", "c"]) results.push(await outcome(world.client.controller.createVolume(named(name))));
    expect(results).toEqual([
      "Internal: cannot write the state: EIO",
      "Internal: cannot write the state: EIO",
      "Internal: cannot write the state: EIO",
    ]);
    failures = 2;
    const id = await create(world, named("d"));
    await world.restart("kill");
    expect(world.driver.state.volumes.map((volume) => volume.id)).toEqual([id]);
  });
});

test("a crash before the work: the same call again does it", async () => {
  await using world = await startWorld({ faults: [{ method: "CreateVolume", times: 1, action: { crash: 3 } }] });
  expect(await outcome(world.client.controller.createVolume(named("a")))).toStartWith("Unavailable");
  await world.restart("kill", { faults: [] });
  expect(world.driver.state.volumes).toEqual([]);
  expect(await create(world, named("a"))).toBe(world.driver.state.volumes[0]!.id);
});

test("a crash after the work is done: the same call again finds the same volume", async () => {
  const world = await startWorld({ faults: [{ method: "CreateVolume", times: 1, phase: "after", action: { crash: 3 } }] });
  expect(await outcome(world.client.controller.createVolume(named("a")))).toStartWith("Unavailable");
  await world.restart("kill", { faults: [] });
  const before: HostpathDriver["state"] = world.driver.state;
  expect(before.volumes).toHaveLength(1);
  expect(world.driver.report().neverAnswered).toEqual([before.volumes[0]!.id]);
  expect(await create(world, named("a"))).toBe(before.volumes[0]!.id);
  expect(world.driver.report().neverAnswered).toEqual([]);
  await world[Symbol.asyncDispose]();
});

test("killed at random moments, the driver knows what it has answered, and nothing is done by half", async () => {
  const { kills, answered, cutOff } = await torture({ seconds: 4, seed: 5 });
  expect(kills).toBeGreaterThanOrEqual(3);
  expect(answered).toBeGreaterThan(0);
  expect(cutOff).toBeGreaterThan(0);
}, 60_000);
