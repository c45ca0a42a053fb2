import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { create, mount, named } from "../testing/requests.ts";

const ephemeral = { volumeContext: { "csi.storage.k8s.io/ephemeral": "true" }, volumeCapability: mount() };

describe("an ephemeral volume", () => {
  test("lives from publishing to unpublishing", async () => {
    await using world = await startWorld({ maxVolumeSize: 1n });
    const { node } = world.client;
    const targetPath = world.path("target");
    const request = { volumeId: "csi-abc", targetPath, ...ephemeral };
    expect(await outcome(node.nodePublishVolume(request))).toBe("OK");
    await writeFile(join(targetPath, "file"), "x");
    await world.restart("kill");
    expect(await outcome(world.client.node.nodePublishVolume(request))).toBe("OK");
    expect(world.driver.state.volumes).toMatchObject([
      { id: "csi-abc", name: "ephemeral-csi-abc", size: 104_857_600n, published: [{ target: targetPath }] },
    ]);
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId: "csi-abc", targetPath }))).toBe("OK");
    expect(world.driver.state.volumes).toEqual([]);
    expect(existsSync(join(world.stateDir, "csi-abc"))).toBe(false);
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId: "csi-abc", targetPath }))).toStartWith("NotFound");
  });

  test.each(["../escape", "a/b", "..", ".pending", "state.json", "state.journal", "x.snap"])("is not called %p", async (volumeId) => {
    await using world = await startWorld();
    const call = world.client.node.nodePublishVolume({ volumeId, targetPath: world.path("target"), ...ephemeral });
    expect(await outcome(call)).toStartWith("InvalidArgument: volume_id");
  });

  test("does not take the name of another volume", async () => {
    await using world = await startWorld();
    const other = await create(world, named("ephemeral-csi-abc"));
    const call = world.client.node.nodePublishVolume({ volumeId: "csi-abc", targetPath: world.path("target"), ...ephemeral });
    expect(await outcome(call)).toBe("AlreadyExists: a volume with the name ephemeral-csi-abc already exists");
    expect(await create(world, named("ephemeral-csi-abc"))).toBe(other);
  });

  test("whose mount fails leaves nothing behind", async () => {
    await using world = await startWorld();
    await mkdir(world.path("target"));
    await writeFile(world.path("target/file"), "somebody's");
    const call = world.client.node.nodePublishVolume({ volumeId: "csi-abc", targetPath: world.path("target"), ...ephemeral });
    expect(await outcome(call)).toStartWith("Internal");
    expect(world.driver.state.volumes).toEqual([]);
    expect(await readdir(world.stateDir)).not.toContain("csi-abc");
  });

  test("is every volume in the old mode, unless it says otherwise", async () => {
    await using world = await startWorld({ ephemeral: true });
    const publishAs = (volumeContext: Record<string, string>) =>
      outcome(
        world.client.node.nodePublishVolume({ volumeId: "v", targetPath: world.path("t"), volumeCapability: mount(), volumeContext }),
      );
    expect(await publishAs({ "csi.storage.k8s.io/ephemeral": "false" })).toStartWith("NotFound");
    expect(await publishAs({})).toBe("OK");
    expect((await world.client.controller.controllerGetCapabilities({})).capabilities).toEqual([]);
  });

  test("takes space from a pool", async () => {
    await using world = await startWorld({ capacity: { fast: 104_857_600n } });
    const publishAs = (volumeId: string) =>
      outcome(world.client.node.nodePublishVolume({ volumeId, targetPath: world.path(volumeId), ...ephemeral }));
    expect(await publishAs("a")).toBe("OK");
    expect(await publishAs("b")).toStartWith("ResourceExhausted");
  });
});
