import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type HostpathOptions, topologyKey } from "../settings.ts";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { block, create, fromSnapshot, fromVolume, GiB, MiB, mount, named } from "../testing/requests.ts";

type Request = Parameters<World["client"]["controller"]["createVolume"]>[0];
const elsewhere = { segments: { [topologyKey]: "node-2" } };
const here = { segments: { [topologyKey]: "node-1" } };
const size = (requiredBytes: bigint, limitBytes = 0n) => ({ capacityRange: { requiredBytes, limitBytes } });

describe("a volume is refused", () => {
  const modify = { modify: true, acceptedMutableParameters: ["iops"] };
  const pools = { capacity: { fast: GiB, slow: 2n * GiB } };
  test.each<[string, Partial<HostpathOptions>, Request, string]>([
    ["without a name", {}, { ...named("") }, "InvalidArgument: name missing in request"],
    ["without capabilities", {}, { name: "a" }, "InvalidArgument: volume_capabilities missing in request"],
    [
      "as both block and mount",
      {},
      { ...named("a"), volumeCapabilities: [mount(), block()] },
      "InvalidArgument: cannot have both block and mount access type",
    ],
    [
      "with mutable parameters that cannot be modified",
      {},
      { ...named("a"), mutableParameters: { iops: "1" } },
      "InvalidArgument: mutable_parameters need the capability MODIFY_VOLUME",
    ],
    [
      "with unknown mutable parameters",
      modify,
      { ...named("a"), mutableParameters: { x: "1" } },
      "InvalidArgument: invalid parameters: [x]",
    ],
    [
      "of a negative size",
      {},
      { ...named("a"), ...size(-1n) },
      "InvalidArgument: capacity range must not be negative: required -1, limit 0",
    ],
    ["above its limit", {}, { ...named("a"), ...size(2n, 1n) }, "InvalidArgument: capacity range: required 2 is more than limit 1"],
    [
      "above the maximum",
      { maxVolumeSize: GiB },
      { ...named("a"), ...size(GiB + 1n) },
      `OutOfRange: Requested capacity ${GiB + 1n} exceeds maximum allowed ${GiB}`,
    ],
    [
      "of a kind without pools",
      {},
      { ...named("a"), parameters: { kind: "fast" } },
      'InvalidArgument: capacity tracking disabled, specifying kind "fast" is invalid',
    ],
    [
      "above what its pool has",
      pools,
      { ...named("a"), ...size(GiB + 1n), parameters: { kind: "fast" } },
      `ResourceExhausted: requested capacity ${GiB + 1n} exceeds remaining capacity for "fast": 0 out of ${GiB} already used`,
    ],
    [
      "above what any pool has",
      pools,
      { ...named("a"), ...size(3n * GiB) },
      `ResourceExhausted: no capacity pool has room for ${3n * GiB} bytes`,
    ],
    [
      "of a pool that is not there",
      pools,
      { ...named("a"), parameters: { kind: "none" } },
      `ResourceExhausted: requested capacity ${GiB} exceeds remaining capacity for "none": 0 out of 0 already used`,
    ],
    [
      "of a kind that only objects have",
      pools,
      { ...named("a"), parameters: { kind: "constructor" } },
      `ResourceExhausted: requested capacity ${GiB} exceeds remaining capacity for "constructor": 0 out of 0 already used`,
    ],
    [
      "for another node",
      {},
      { ...named("a"), accessibilityRequirements: { requisite: [elsewhere] } },
      `ResourceExhausted: volumes of this driver are only accessible on ${topologyKey}=node-1`,
    ],
    [
      "from an unknown snapshot",
      {},
      { ...named("a"), ...fromSnapshot("x") },
      "NotFound: snapshot id x does not exist in the snapshots list",
    ],
    ["from an unknown volume", {}, { ...named("a"), ...fromVolume("x") }, "NotFound: volume id x does not exist in the volumes list"],
    ["without controller capabilities", { ephemeral: true }, named("a"), "Unimplemented: unsupported capability CREATE_DELETE_VOLUME"],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    expect(await outcome(world.client.controller.createVolume(request))).toBe(expected);
    expect(world.driver.state.volumes).toEqual([]);
    expect(await readdir(join(world.stateDir, ".pending"))).toEqual([]);
  });
});

describe("a volume is answered", () => {
  test.each<[string, Partial<HostpathOptions>, Request, object]>([
    [
      "with its size, context and topology",
      {},
      { ...named("a"), parameters: { p: "1" } },
      { capacityBytes: GiB, volumeContext: { p: "1" }, accessibleTopology: [here] },
    ],
    ["with the limit as size, when only that is given", {}, { ...named("a"), ...size(0n, MiB) }, { capacityBytes: MiB }],
    ["without a size, when none is given", {}, { name: "a", volumeCapabilities: [mount()] }, { capacityBytes: 0n }],
    ["of the maximum size", { maxVolumeSize: GiB }, named("a"), { capacityBytes: GiB }],
    [
      "without topology, when that is off",
      { topology: false },
      { ...named("a"), accessibilityRequirements: { requisite: [elsewhere] } },
      { accessibleTopology: [] },
    ],
    [
      "for a set of nodes that this one is in",
      {},
      { ...named("a"), accessibilityRequirements: { requisite: [elsewhere, here] } },
      { accessibleTopology: [here] },
    ],
    [
      "with further context",
      {},
      { ...named("a"), parameters: { "volumeContext.x": "y" } },
      { volumeContext: { "volumeContext.x": "y", x: "y" } },
    ],
    ["without topology, when it asks for that", {}, { ...named("a"), parameters: { noTopology: "true" } }, { accessibleTopology: [] }],
    ["with any mutable parameters", { modify: true }, { ...named("a"), mutableParameters: { any: "1" } }, { accessibleTopology: [here] }],
    [
      "with accepted mutable parameters",
      { modify: true, acceptedMutableParameters: ["iops"] },
      { ...named("a"), mutableParameters: { iops: "1" } },
      {},
    ],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const { volume } = await world.client.controller.createVolume(request);
    expect(volume).toMatchObject(expected);
    expect((await stat(join(world.stateDir, volume!.volumeId))).mode & 0o777).toBe(0o777);
  });
});

describe("the same name again", () => {
  const first: Request = { ...named("a"), parameters: { p: "1" } };
  test.each<[string, Request, string]>([
    ["is the same volume", first, "OK"],
    ["fits a smaller requirement", { ...first, ...size(MiB) }, "OK"],
    ["fits a requirement and a limit of exactly its size", { ...first, ...size(GiB, GiB) }, "OK"],
    ["fits a limit alone that is above it", { ...first, ...size(0n, 2n * GiB) }, "OK"],
    [
      "does not fit a larger one",
      { ...first, ...size(GiB + 1n) },
      "AlreadyExists: Volume with the same name: a but with different size already exist",
    ],
    [
      "does not fit a smaller limit",
      { ...first, ...size(1n, MiB) },
      "AlreadyExists: Volume with the same name: a but with different size already exist",
    ],
    [
      "does not fit another access type",
      { ...first, volumeCapabilities: [block()] },
      "AlreadyExists: Volume with the same name: a but with different access type already exist",
    ],
    [
      "does not fit other parameters",
      { ...first, parameters: { p: "2" } },
      "AlreadyExists: Volume with the same name: a but with different parameters already exist",
    ],
  ])("%s", async (_, again, expected) => {
    await using world = await startWorld();
    const id = await create(world, first);
    expect(await outcome(world.client.controller.createVolume(again))).toBe(expected);
    if (expected === "OK") expect(await create(world, again)).toBe(id);
    expect(world.driver.state.volumes).toHaveLength(1);
  });

  test("from another source is another volume", async () => {
    await using world = await startWorld();
    const source = await create(world, named("source"));
    const clone = { ...named("clone"), ...fromVolume(source) };
    const id = await create(world, clone);
    await world.restart("kill");
    expect(await create(world, clone)).toBe(id);
    expect(await outcome(world.client.controller.createVolume(named("clone")))).toStartWith("AlreadyExists");
    expect(await outcome(world.client.controller.createVolume({ ...clone, ...fromSnapshot(source) }))).toStartWith("AlreadyExists");
  });
});

test("a block volume is a sparse file of its size", async () => {
  await using world = await startWorld();
  const id = await create(world, { ...named("a"), volumeCapabilities: [block()] });
  const file = await stat(join(world.stateDir, id));
  expect([file.isFile(), file.size, file.blocks]).toEqual([true, Number(GiB), 0]);
});

test("concurrent creations never take more than a pool has", async () => {
  await using world = await startWorld({ capacity: { fast: 3n * GiB } });
  const outcomes = await Promise.all(Array.from({ length: 8 }, (_, i) => outcome(world.client.controller.createVolume(named(`v${i}`)))));
  expect(outcomes.filter((result) => result === "OK")).toHaveLength(3);
  expect(outcomes.filter((result) => result.startsWith("ResourceExhausted"))).toHaveLength(5);
});

test("concurrent creations of one name make one volume", async () => {
  await using world = await startWorld();
  const ids = await Promise.all(Array.from({ length: 8 }, () => create(world, named("a"))));
  expect(new Set(ids).size).toBe(1);
  expect(existsSync(join(world.stateDir, ids[0]!))).toBe(true);
});
