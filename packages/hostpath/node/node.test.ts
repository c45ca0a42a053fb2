import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostpathOptions } from "../settings.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, mount, named, publish } from "../testing/requests.ts";

describe("NodeStageVolume and NodeUnstageVolume", () => {
  test.each<[string, Partial<HostpathOptions>, (id: string) => object, string]>([
    [
      "without a volume",
      {},
      () => ({ stagingTargetPath: "/s", volumeCapability: mount() }),
      "InvalidArgument: volume_id missing in request",
    ],
    [
      "without a path",
      {},
      (id) => ({ volumeId: id, volumeCapability: mount() }),
      "InvalidArgument: staging_target_path missing in request",
    ],
    [
      "without a capability",
      {},
      (id) => ({ volumeId: id, stagingTargetPath: "/s" }),
      "InvalidArgument: volume_capability missing in request",
    ],
    [
      "of an unknown volume",
      {},
      () => ({ volumeId: "x", stagingTargetPath: "/s", volumeCapability: mount() }),
      "NotFound: volume id x does not exist in the volumes list",
    ],
    [
      "of a volume that is not attached",
      { attach: true },
      (id) => ({ volumeId: id, stagingTargetPath: "/s", volumeCapability: mount() }),
      "Internal: ControllerPublishVolume must be called on volume 'ID' before staging on node",
    ],
    [
      "of a volume that is not attached, with another code",
      { attach: true, unattachedStageCode: "FailedPrecondition" },
      (id) => ({ volumeId: id, stagingTargetPath: "/s", volumeCapability: mount() }),
      "FailedPrecondition: ControllerPublishVolume must be called on volume 'ID' before staging on node",
    ],
  ])("staging %s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const id = await create(world, named("a"));
    expect(await outcome(world.client.node.nodeStageVolume(request(id)))).toBe(expected.replace("ID", id));
  });

  test("a volume is staged at one path", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    const at = (stagingTargetPath: string) => ({ volumeId, stagingTargetPath, volumeCapability: mount() });
    expect(await outcome(world.client.node.nodeStageVolume(at("/s")))).toBe("OK");
    expect(await outcome(world.client.node.nodeStageVolume(at("/s")))).toBe("OK");
    const as = (volumeCapability: object) => outcome(world.client.node.nodeStageVolume({ ...at("/s"), volumeCapability }));
    expect(await as(block())).toBe("InvalidArgument: cannot stage a mount volume as block volume");
    await world.restart("kill");
    const other = outcome(world.client.node.nodeStageVolume({ ...at("/s"), volumeCapability: mount("MULTI_NODE_MULTI_WRITER") }));
    expect(await other).toBe(`AlreadyExists: volume ${volumeId} is staged at /s as mount SINGLE_NODE_WRITER`);
    expect(await outcome(world.client.node.nodeStageVolume(at("/t")))).toBe(
      `FailedPrecondition: volume ${volumeId} is already staged at /s`,
    );
    expect(await outcome(world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: "/t" }))).toBe("OK");
    expect(world.driver.state.volumes[0]?.staged).toEqual(["/s"]);
    expect(await outcome(world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: "/s" }))).toBe("OK");
    expect(await outcome(world.client.node.nodeUnstageVolume({ volumeId }))).toStartWith("InvalidArgument");
    expect(await outcome(world.client.node.nodeUnstageVolume({ stagingTargetPath: "/s" }))).toStartWith("InvalidArgument");
    expect(await outcome(world.client.node.nodeUnstageVolume({ volumeId: "x", stagingTargetPath: "/s" }))).toStartWith("NotFound");
  });

  test("a published volume is not unstaged", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    const target = await publish(world, volumeId);
    expect(await outcome(world.client.node.nodeUnstageVolume({ volumeId, stagingTargetPath: world.path("stage") }))).toBe(
      `Internal: volume ${volumeId} is still published at ${target} on node node-1`,
    );
  });
});

describe("NodePublishVolume", () => {
  test.each<[string, (id: string) => object, string]>([
    ["without a capability", (id) => ({ volumeId: id, targetPath: "/t" }), "InvalidArgument: volume_capability missing in request"],
    ["without a volume", () => ({ targetPath: "/t", volumeCapability: mount() }), "InvalidArgument: volume_id missing in request"],
    ["without a target", (id) => ({ volumeId: id, volumeCapability: mount() }), "InvalidArgument: target_path missing in request"],
    [
      "of an unknown volume",
      () => ({ volumeId: "x", targetPath: "/t", volumeCapability: mount() }),
      "NotFound: volume id x does not exist in the volumes list",
    ],
    [
      "before staging",
      (id) => ({ volumeId: id, targetPath: "/t", volumeCapability: mount() }),
      "FailedPrecondition: volume ID must be staged before it is published",
    ],
  ])("%s", async (_, request, expected) => {
    await using world = await startWorld();
    const id = await create(world, named("a"));
    expect(await outcome(world.client.node.nodePublishVolume(request(id)))).toBe(expected.replace("ID", id));
  });

  test("a target that is no place for a volume: relative, in the state directory, or there by a link", async () => {
    await using world = await startWorld();
    const [volumeId, victim] = [await create(world, named("a")), await create(world, named("b"))];
    const paths = { volumeId, stagingTargetPath: world.path("stage"), volumeCapability: mount() };
    await world.client.node.nodeStageVolume(paths);
    await symlink(world.stateDir, world.path("link"));
    const at = (targetPath: string) => outcome(world.client.node.nodePublishVolume({ ...paths, targetPath }));
    expect(await at("target")).toBe('InvalidArgument: target_path "target" is no absolute path');
    for (const targetPath of [world.stateDir, join(world.stateDir, victim), `${world.stateDir}/../link/${victim}`]) {
      expect(await at(targetPath)).toBe(`InvalidArgument: target_path ${targetPath} is in the state directory of the driver`);
    }
    expect((await lstat(join(world.stateDir, victim))).isDirectory()).toBe(true);
    expect(await outcome(world.client.node.nodeStageVolume({ ...paths, volumeId: victim, stagingTargetPath: "stage" }))).toStartWith(
      "InvalidArgument: staging_target_path",
    );
  });

  test("of a staged volume: other requests than the first one", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    const target = await publish(world, volumeId);
    const request = { volumeId, targetPath: target, stagingTargetPath: world.path("stage"), volumeCapability: mount() };
    const again = (changed: object) => outcome(world.client.node.nodePublishVolume({ ...request, ...changed }));
    expect(await again({})).toBe("OK");
    expect(await again({ readonly: true })).toBe(`AlreadyExists: volume ${volumeId} is published at ${target} with readonly=false`);
    expect(await again({ volumeCapability: mount("SINGLE_NODE_MULTI_WRITER") })).toBe(
      `AlreadyExists: volume ${volumeId} is published at ${target} as mount SINGLE_NODE_WRITER`,
    );
    expect(await again({ stagingTargetPath: "/elsewhere" })).toStartWith("InvalidArgument: volume");
    expect(await again({ volumeCapability: block() })).toBe("InvalidArgument: cannot publish a mount volume as block volume");
    const second = { targetPath: world.path("second") };
    expect(await again({ ...second, volumeCapability: mount("SINGLE_NODE_SINGLE_WRITER") })).toBe(
      "FailedPrecondition: volume uses SINGLE_NODE_SINGLE_WRITER access mode and is already mounted at a different target path",
    );
    expect(await again({ ...second, volumeCapability: mount("SINGLE_NODE_MULTI_WRITER") })).toBe("OK");
    expect(world.driver.state.volumes[0]).toMatchObject({ nodeId: "node-1", published: [{ target }, { target: world.path("second") }] });
  });

  test("by links: data is written through, an empty directory gives way, and the volume outlives the link", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    await mkdir(world.path("target"));
    const target = await publish(world, volumeId);
    expect(await readlink(target)).toBe(join(world.stateDir, volumeId));
    await writeFile(join(target, "file"), "data");
    await world.restart("kill");
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath: target }))).toBe("OK");
    expect(existsSync(target)).toBe(false);
    expect(await readFile(join(world.stateDir, volumeId, "file"), "utf8")).toBe("data");
  });

  test("what is at a target and not empty is left alone", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    await mkdir(world.path("target"));
    await writeFile(world.path("target/file"), "somebody's");
    expect(await outcome(publish(world, volumeId))).toStartWith("Internal: cannot publish at");
    expect(await readFile(world.path("target/file"), "utf8")).toBe("somebody's");
    expect(world.driver.state.volumes[0]?.published).toEqual([]);
  });

  test("a file that has taken the place of the link is left alone", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    const targetPath = await publish(world, volumeId);
    await rm(targetPath);
    await writeFile(targetPath, "somebody's");
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath }))).toStartWith(
      `Internal: ${targetPath} is not the link`,
    );
    expect(await readFile(targetPath, "utf8")).toBe("somebody's");
    await rm(targetPath);
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath }))).toBe("OK");
  });

  test("without mounts: targets are empty", async () => {
    await using world = await startWorld({ mountMode: "none" });
    const device = await create(world, { ...named("b"), volumeCapabilities: [block()] });
    expect((await lstat(await publish(world, await create(world, named("a")), "a"))).isDirectory()).toBe(true);
    expect((await lstat(await publish(world, device, "b", block()))).isFile()).toBe(true);
  });
});

describe("NodeUnpublishVolume", () => {
  test.each<[string, (id: string) => object, string]>([
    ["without a volume", () => ({ targetPath: "/t" }), "InvalidArgument: volume_id missing in request"],
    ["without a target", (id) => ({ volumeId: id }), "InvalidArgument: target_path missing in request"],
    ["of an unknown volume", () => ({ volumeId: "x", targetPath: "/t" }), "NotFound: volume id x does not exist in the volumes list"],
  ])("%s", async (_, request, expected) => {
    await using world = await startWorld();
    const id = await create(world, named("a"));
    expect(await outcome(world.client.node.nodeUnpublishVolume(request(id)))).toBe(expected);
  });

  test("does not touch a path where the volume is not published", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    await mkdir(world.path("other"));
    expect(await outcome(world.client.node.nodeUnpublishVolume({ volumeId, targetPath: world.path("other") }))).toBe("OK");
    expect(existsSync(world.path("other"))).toBe(true);
  });
});

test.each([1, 10])("the whole way of a volume, each step %d times", async (times) => {
  await using world = await startWorld({ attach: true, checkVolumeLifecycle: true });
  const { controller, node } = world.client;
  const again = async <T>(step: () => Promise<T>): Promise<T> => {
    for (let count = 1; count < times; count++) await step();
    return step();
  };
  const name = "n".repeat(128);
  const volumeId = (await again(() => controller.createVolume(named(name)))).volume?.volumeId ?? "";
  const snapshot = await again(() => controller.createSnapshot({ name, sourceVolumeId: volumeId }));
  const [volumeCapability, stagingTargetPath, targetPath] = [mount(), world.path("stage"), world.path("target")];
  await again(() => controller.controllerPublishVolume({ volumeId, nodeId: "node-1", volumeCapability }));
  await again(() => node.nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability }));
  await again(() => node.nodePublishVolume({ volumeId, stagingTargetPath, targetPath, volumeCapability }));
  expect((await again(() => node.nodeGetVolumeStats({ volumeId, volumePath: targetPath }))).usage).not.toEqual([]);
  await again(() => node.nodeUnpublishVolume({ volumeId, targetPath }));
  await again(() => node.nodeUnstageVolume({ volumeId, stagingTargetPath }));
  await again(() => controller.controllerUnpublishVolume({ volumeId, nodeId: "node-1" }));
  await again(() => controller.deleteVolume({ volumeId }));
  await again(() => controller.deleteSnapshot({ snapshotId: snapshot.snapshot?.snapshotId }));
  expect(world.driver.state).toEqual({ volumes: [], snapshots: [], groups: [] });
  expect(world.driver.report().open).toEqual({ attached: [], staged: [], published: [] });
});

describe("NodeGetInfo", () => {
  test.each<[string, Partial<HostpathOptions>, object]>([
    [
      "as it comes",
      {},
      { nodeId: "node-1", maxVolumesPerNode: 0n, accessibleTopology: { segments: { "topology.hostpath.csi/node": "node-1" } } },
    ],
    ["without topology", { topology: false }, { accessibleTopology: undefined }],
    ["with a limit that is only told", { maxVolumesPerNode: 7n }, { maxVolumesPerNode: 7n }],
    ["with a limit that is kept", { maxVolumesPerNode: 7n, attachLimit: 3n }, { maxVolumesPerNode: 3n }],
    ["with a random limit", { attachLimit: -1n, random: () => 0.55 }, { maxVolumesPerNode: 6n }],
  ])("%s", async (_, options, expected) => {
    await using world = await startWorld(options);
    expect(await world.client.node.nodeGetInfo({})).toMatchObject(expected);
  });
});
