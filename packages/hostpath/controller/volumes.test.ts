import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { HostpathOptions } from "../settings.ts";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { block, create, GiB, mount, named, publish, snap } from "../testing/requests.ts";

const attach = { attach: true, otherNodes: ["node-2"] };
const publishTo = (volumeId: string, nodeId: string, more: object = {}) => ({ volumeId, nodeId, volumeCapability: mount(), ...more });

describe("DeleteVolume", () => {
  test("needs an id, does not miss what is not there, and removes data and name", async () => {
    await using world = await startWorld();
    const { controller } = world.client;
    expect(await outcome(controller.deleteVolume({}))).toBe("InvalidArgument: volume_id missing in request");
    expect(await outcome(controller.deleteVolume({ volumeId: "x" }))).toBe("OK");
    const id = await create(world, named("a"));
    const snapshot = await snap(world, "s", id);
    await controller.deleteVolume({ volumeId: id });
    expect(existsSync(join(world.stateDir, id))).toBe(false);
    expect(await create(world, named("a"))).not.toBe(id);
    expect((await controller.listSnapshots({ snapshotId: snapshot })).entries).toHaveLength(1);
  });

  test.each([
    [true, "Internal: volume ID is still used (attached, staged or published)"],
    [false, "OK"],
  ])("of a volume in use, with lifecycle checks %p", async (checkVolumeLifecycle, expected) => {
    await using world = await startWorld({ checkVolumeLifecycle });
    const id = await create(world, named("a"));
    await publish(world, id);
    expect(await outcome(world.client.controller.deleteVolume({ volumeId: id }))).toBe(expected.replace("ID", id));
    expect(existsSync(join(world.stateDir, id))).toBe(checkVolumeLifecycle);
  });

  test("of a volume that is only attached, or only staged, is refused with lifecycle checks", async () => {
    await using world = await startWorld({ attach: true, checkVolumeLifecycle: true });
    const { controller, node } = world.client;
    const attached = await create(world, named("attached"));
    await controller.controllerPublishVolume(publishTo(attached, "node-1"));
    expect(await outcome(controller.deleteVolume({ volumeId: attached }))).toStartWith("Internal: volume");
    await node.nodeStageVolume({ volumeId: attached, stagingTargetPath: "/s", volumeCapability: mount() });
    await world.driver.script.volume.detachExternally(attached, "node-1");
    expect(await outcome(controller.deleteVolume({ volumeId: attached }))).toStartWith("Internal: volume");
    await node.nodeUnstageVolume({ volumeId: attached, stagingTargetPath: "/s" });
    expect(await outcome(controller.deleteVolume({ volumeId: attached }))).toBe("OK");
  });
});

test("ControllerUnpublishVolume: from a node, from all, from what is not there", async () => {
  await using world = await startWorld(attach);
  const { controller } = world.client;
  const id = await create(world, named("a"));
  const shared = { volumeCapability: mount("MULTI_NODE_MULTI_WRITER") };
  const nodes = async () => (await controller.controllerGetVolume({ volumeId: id })).status?.publishedNodeIds;
  for (const node of ["node-1", "node-2"]) await controller.controllerPublishVolume(publishTo(id, node, shared));
  expect(await nodes()).toEqual(["node-1", "node-2"]);
  await controller.controllerUnpublishVolume({ volumeId: id, nodeId: "node-1" });
  expect(await nodes()).toEqual(["node-2"]);
  await controller.controllerPublishVolume(publishTo(id, "node-1", shared));
  await controller.controllerUnpublishVolume({ volumeId: id });
  expect(await nodes()).toEqual([]);
  expect(await outcome(controller.controllerUnpublishVolume({}))).toBe("InvalidArgument: volume_id missing in request");
  expect(await outcome(controller.controllerUnpublishVolume({ volumeId: "x" }))).toBe("OK");
  expect(await outcome(controller.controllerUnpublishVolume({ volumeId: id, nodeId: "node-9" }))).toStartWith("NotFound: node id node-9");
  await world.restart("stop", { attach: false });
  expect(await outcome(world.client.controller.controllerUnpublishVolume({ volumeId: id }))).toStartWith("Unimplemented");
});

test("ControllerUnpublishVolume of a published volume is refused where the order of calls is checked", async () => {
  await using world = await startWorld({ attach: true, checkVolumeLifecycle: true });
  const id = await create(world, named("a"));
  await world.client.controller.controllerPublishVolume(publishTo(id, "node-1"));
  await publish(world, id);
  expect(await outcome(world.client.controller.controllerUnpublishVolume({ volumeId: id }))).toStartWith("Internal");
});

describe("ValidateVolumeCapabilities", () => {
  test.each<[string, (id: string) => object, string]>([
    ["without a volume", () => ({ volumeCapabilities: [mount()] }), "InvalidArgument: volume_id missing in request"],
    ["without capabilities", (id) => ({ volumeId: id }), "InvalidArgument: volume_capabilities missing in request"],
    [
      "of an unknown volume",
      () => ({ volumeId: "x", volumeCapabilities: [mount()] }),
      "NotFound: volume id x does not exist in the volumes list",
    ],
    [
      "without an access type",
      (id) => ({ volumeId: id, volumeCapabilities: [{}] }),
      "InvalidArgument: cannot have both mount and block access type be undefined",
    ],
  ])("%s", async (_, request, expected) => {
    await using world = await startWorld();
    const id = await create(world, named("a"));
    expect(await outcome(world.client.controller.validateVolumeCapabilities(request(id)))).toBe(expected);
  });

  test("confirms what the volume is", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    const validate = (capability: object) =>
      world.client.controller.validateVolumeCapabilities({ volumeId, volumeCapabilities: [capability], parameters: { p: "1" } });
    expect((await validate(mount())).confirmed).toMatchObject({ volumeCapabilities: [mount()], parameters: { p: "1" } });
    expect(await validate(block())).toEqual({ confirmed: undefined, message: `volume ${volumeId} has access type mount, not block` });
  });
});

describe("GetCapacity", () => {
  test.each<[string, Partial<HostpathOptions>, Record<string, string>, object]>([
    ["without pools", { maxVolumeSize: 5n }, {}, { availableCapacity: 5n, maximumVolumeSize: 5n, minimumVolumeSize: 0n }],
    ["of a pool", { capacity: { fast: 3n * GiB } }, { kind: "fast" }, { availableCapacity: 2n * GiB, maximumVolumeSize: 2n * GiB }],
    [
      "of a pool larger than a volume",
      { capacity: { fast: 3n * GiB }, maxVolumeSize: GiB },
      { kind: "fast" },
      { availableCapacity: 2n * GiB, maximumVolumeSize: GiB },
    ],
    ["of an unknown pool", { capacity: { fast: 3n * GiB } }, { kind: "x" }, { availableCapacity: 0n, maximumVolumeSize: 0n }],
    ["of no pool", { capacity: { fast: 3n * GiB } }, {}, { availableCapacity: 0n }],
  ])("%s", async (_, options, parameters, expected) => {
    await using world = await startWorld(options);
    if (options.capacity) await create(world, { ...named("a"), parameters: { kind: "fast" } });
    expect(await world.client.controller.getCapacity({ parameters })).toMatchObject(expected);
  });

  test("never goes below nothing", async () => {
    await using world = await startWorld({ capacity: { fast: 3n * GiB } });
    await create(world, { ...named("a"), parameters: { kind: "fast" } });
    world.driver.script.capacity.set("fast", "1Mi");
    expect((await world.client.controller.getCapacity({ parameters: { kind: "fast" } })).availableCapacity).toBe(0n);
  });
});

describe("the condition of a volume", () => {
  const conditionOf = async (world: World, volumeId: string) =>
    (await world.client.controller.controllerGetVolume({ volumeId })).status?.volumeCondition;

  test("is normal, or says what is wrong", async () => {
    // No machine that runs tests has a disk of four exbibytes.
    const requiredBytes = 1n << 62n;
    await using world = await startWorld({ maxVolumeSize: requiredBytes });
    const id = await create(world, named("a"));
    const huge = await create(world, { ...named("b"), capacityRange: { requiredBytes } });
    expect(await conditionOf(world, id)).toEqual({ abnormal: false, message: "" });
    expect(await conditionOf(world, huge)).toEqual({ abnormal: true, message: "The capacity of volume is greater than actual storage" });
    await rm(join(world.stateDir, id), { recursive: true });
    expect(await conditionOf(world, id)).toEqual({ abnormal: true, message: "The source path of the volume doesn't exist" });
    world.driver.script.volume.condition(id, true, "on fire");
    expect(await conditionOf(world, id)).toEqual({ abnormal: true, message: "on fire" });
    const listed = await world.client.controller.listVolumes({});
    expect(listed.entries.find(({ volume }) => volume?.volumeId === id)?.status?.volumeCondition?.message).toBe("on fire");
  });

  test("of a volume that is not there is an error", async () => {
    await using world = await startWorld();
    expect(await outcome(world.client.controller.controllerGetVolume({ volumeId: "x" }))).toStartWith("NotFound");
    expect(await outcome(world.client.controller.controllerGetVolume({}))).toStartWith("InvalidArgument");
  });
});

describe("ControllerModifyVolume", () => {
  const accepted = { modify: true, acceptedMutableParameters: ["iops"] };
  test.each<[string, Partial<HostpathOptions>, (id: string) => object, string]>([
    [
      "when it is off",
      {},
      (id) => ({ volumeId: id, mutableParameters: { iops: "1" } }),
      "Unimplemented: unsupported capability MODIFY_VOLUME",
    ],
    ["without a volume", accepted, () => ({ mutableParameters: { iops: "1" } }), "InvalidArgument: volume_id missing in request"],
    ["without parameters", accepted, (id) => ({ volumeId: id }), "InvalidArgument: mutable_parameters missing in request"],
    [
      "with an unknown parameter",
      accepted,
      () => ({ volumeId: "x", mutableParameters: { y: "1" } }),
      "InvalidArgument: invalid parameters: [y]",
    ],
    [
      "of an unknown volume",
      accepted,
      () => ({ volumeId: "x", mutableParameters: { iops: "1" } }),
      "NotFound: volume id x does not exist in the volumes list",
    ],
    ["with an accepted parameter", accepted, (id) => ({ volumeId: id, mutableParameters: { iops: "1" } }), "OK"],
    ["with any parameter", { modify: true }, (id) => ({ volumeId: id, mutableParameters: { y: "1" } }), "OK"],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const id = await create(world, named("a"));
    expect(await outcome(world.client.controller.controllerModifyVolume(request(id)))).toBe(expected);
  });

  test("leaves parameters alone that it does not name, and is remembered", async () => {
    await using world = await startWorld({ modify: true });
    const volumeId = await create(world, { ...named("a"), mutableParameters: { a: "1", b: "1" } });
    await world.client.controller.controllerModifyVolume({ volumeId, mutableParameters: { b: "2" } });
    await world.restart("kill");
    expect(world.driver.state.volumes[0]?.mutableParameters).toEqual({ a: "1", b: "2" });
  });
});
