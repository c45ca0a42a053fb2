import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type DriverClient, GrpcError } from "@csi-sidecars/csi";
import type { Executor } from "@csi-sidecars/csi-proxy";
import { mortalExecutor } from "@csi-sidecars/csi-proxy/testing";
import { type DriverWorld, startWorld } from "./testing/driver-world.ts";

const share = "\\\\files.example.com\\team";
const credential = { username: "user", password: "S3cret-of-the-share" };
const volumes = "C:\\plugins";
const mount = { accessType: { $case: "mount" as const, mount: { fsType: "", mountFlags: [], volumeMountGroup: "" } } };

let world: DriverWorld;
const start = async () => {
  world = await startWorld();
  world.host.shares.add(share, credential);
};
const end = () => world[Symbol.asyncDispose]();

const paths = (volumeId: string) => ({ volumeId, stagingTargetPath: `${volumes}\\${volumeId}\\globalmount` });
const unstage = (driver: DriverClient, volumeId = "a") => driver.node.nodeUnstageVolume(paths(volumeId));
const stage = (driver: DriverClient, volumeId = "a", secrets: Record<string, string> = credential) =>
  driver.node.nodeStageVolume({ ...paths(volumeId), volumeCapability: mount, volumeContext: { source: `${share}\\${volumeId}` }, secrets });

/** `OK`, or the code of the status. */
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "OK",
    (error: unknown) => (error instanceof GrpcError ? error.codeName : String(error)),
  );

async function expectNothingIsLeft(volumeId = "a") {
  expect(world.host.shares.mapping(share)).toBeUndefined();
  expect(await world.files.list(`${volumes}\\${volumeId}`)).toEqual([]);
}

/** Lets a driver die at each operation of a call in turn. */
async function atEveryDeath(call: (driver: DriverClient) => Promise<unknown>, check: () => Promise<void>): Promise<number> {
  for (let nth = 1; ; nth++) {
    let isAlive = true;
    for (const last of ["never ran", "ran unseen"] as const) {
      await start();
      const dying = await world.startDriver(mortalExecutor(world.host, nth, last));
      const code = await codeOf(call(dying));
      isAlive &&= code === "OK";
      await check();
      await end();
    }
    if (isAlive) return nth - 1;
  }
}

describe("a driver that dies at any operation", () => {
  test("of NodeStageVolume leaves nothing that NodeUnstageVolume does not remove", async () => {
    const deaths = await atEveryDeath(stage, async () => {
      await unstage(world.client);
      await expectNothingIsLeft();
    });
    expect(deaths).toBe(2);
  });

  test("of NodeStageVolume stages the volume when it comes back", async () => {
    await atEveryDeath(stage, async () => {
      await stage(world.client);
      expect(await world.files.readlink(paths("a").stagingTargetPath)).toBe(`${share}\\a\\`);
      await unstage(world.client);
      await expectNothingIsLeft();
    });
  });

  test("of NodeUnstageVolume finishes when it comes back", async () => {
    const stageAndUnstage = async (driver: DriverClient) => {
      await stage(world.client);
      await unstage(driver);
    };
    const deaths = await atEveryDeath(stageAndUnstage, async () => {
      await unstage(world.client);
      await expectNothingIsLeft();
    });
    expect(deaths).toBe(1);
  });
});

describe("NodeStageVolume that fails for good, after which kubelet does not unstage,", () => {
  beforeEach(start);
  afterEach(end);

  /** A host of which something happens to an answer. */
  const afterMapping = (happens: () => Promise<void>): Executor => ({
    async run(op, params, options) {
      const answer = await world.host.run(op, params, options);
      if (op === "smb.newMapping") await happens();
      return answer;
    },
    async close() {},
  });

  test("leaves nothing where the share refuses the password", async () => {
    expect(await codeOf(stage(world.client, "a", { username: "user", password: "wrong" }))).toBe("Internal");
    await expectNothingIsLeft();
  });

  test("leaves no mapping where the link cannot be made", async () => {
    const driver = await world.startDriver(afterMapping(() => rm(join(world.folder, "drives/C/plugins/a"), { recursive: true })));
    expect(await codeOf(stage(driver))).toBe("NotFound");
    await expectNothingIsLeft();
  });

  test("leaves the mapping to the other volumes of the share", async () => {
    await stage(world.client, "b");
    const driver = await world.startDriver(afterMapping(() => rm(join(world.folder, "drives/C/plugins/a"), { recursive: true })));
    world.host.shares.disconnect();
    expect(await codeOf(stage(driver))).toBe("NotFound");
    expect(world.host.shares.mapping(share)).toBeDefined();
    await unstage(world.client, "b");
    await expectNothingIsLeft("b");
  });

  test("says that it may be repeated where it had to leave something", async () => {
    const driver = await world.startDriver(afterMapping(() => Promise.reject(new Error("no answer"))));
    world.host.failNext("smb.removeMapping", { message: "the server is busy" });
    expect(await codeOf(stage(driver))).toBe("Unavailable");
    await unstage(world.client);
    await expectNothingIsLeft();
  });
});
