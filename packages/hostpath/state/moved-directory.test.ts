import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Channel, driverClient } from "@csi-sidecars/csi";
import { startHostpathDriver } from "../driver.ts";
import { startWorld } from "../testing/driver-world.ts";
import { create, named } from "../testing/requests.ts";

describe("where data is follows from where the state is", () => {
  test("a state directory that was moved still has its volumes and snapshots, and nothing elsewhere is touched", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostpath-"));
    const outside = join(folder, "outside");
    await mkdir(outside);
    const options = { nodeId: "n", endpoint: join(folder, "csi.sock"), mountMode: "none" } as const;
    const driver = await startHostpathDriver({ ...options, stateDir: join(folder, "before") });
    const client = new Channel({ target: driver.target });
    const { volume } = await driverClient(client).controller.createVolume(named("a"));
    client.close();
    await driver.stop();
    const text = await readFile(join(folder, "before", "state.json"), "utf8");
    expect(text).toContain(`"VolPath":"${join(folder, "before")}`);
    await writeFile(join(folder, "before", "state.json"), text.replace(/"VolPath":"[^"]*"/, `"VolPath":${JSON.stringify(outside)}`));
    await rename(join(folder, "before"), join(folder, "after"));
    const moved = await startHostpathDriver({ ...options, stateDir: join(folder, "after") });
    const channel = new Channel({ target: moved.target });
    const { controller } = driverClient(channel);
    const volumeId = volume?.volumeId ?? "";
    expect((await controller.controllerGetVolume({ volumeId })).status?.volumeCondition?.message).toBe("");
    await controller.deleteVolume({ volumeId });
    expect(existsSync(outside)).toBe(true);
    expect(existsSync(join(folder, "after", volumeId))).toBe(false);
    channel.close();
    await moved.stop();
    await rm(folder, { recursive: true });
  });

  test("data that a crash left on its way is put into its place, also below a directory that was given as a relative path", async () => {
    await using world = await startWorld();
    const id = await create(world, named("a"));
    await writeFile(join(world.stateDir, id, "file"), "data");
    await world.driver.kill();
    await rename(join(world.stateDir, id), join(world.stateDir, ".pending", id));
    await world.restart("kill", { stateDir: relative(process.cwd(), world.stateDir) });
    expect(await readFile(join(world.stateDir, id, "file"), "utf8")).toBe("data");
  });
});
