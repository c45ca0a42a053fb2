import { describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { VolumeUsage_Unit as Unit } from "@csi-sidecars/csi";
import type { HostpathOptions } from "../settings.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, GiB, named, publish } from "../testing/requests.ts";

describe("NodeGetVolumeStats", () => {
  test.each<[string, (id: string) => object, string]>([
    ["without a volume", () => ({ volumePath: "/" }), "InvalidArgument: volume_id missing in request"],
    ["without a path", (id) => ({ volumeId: id }), "InvalidArgument: volume_path missing in request"],
    ["of an unknown volume", () => ({ volumeId: "x", volumePath: "/" }), "NotFound: volume id x does not exist in the volumes list"],
    [
      "at a path that is not there",
      (id) => ({ volumeId: id, volumePath: "/no/such" }),
      "NotFound: path /no/such of volume ID does not exist",
    ],
  ])("%s", async (_, request, expected) => {
    await using world = await startWorld();
    const id = await create(world, named("a"));
    expect(await outcome(world.client.node.nodeGetVolumeStats(request(id)))).toBe(expected.replace("ID", id));
  });

  test("tells usage and condition", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, named("a"));
    const volumePath = await publish(world, volumeId);
    const { usage, volumeCondition } = await world.client.node.nodeGetVolumeStats({ volumeId, volumePath });
    expect(usage.map(({ unit, total }) => [unit, total > 0n])).toEqual([
      [Unit.BYTES, true],
      [Unit.INODES, true],
    ]);
    expect(volumeCondition).toEqual({ abnormal: false, message: "" });
    await world.client.node.nodeUnpublishVolume({ volumeId, targetPath: volumePath });
    const gone = await world.client.node.nodeGetVolumeStats({ volumeId, volumePath: world.folder });
    expect(gone.volumeCondition).toEqual({ abnormal: true, message: "The volume isn't mounted" });
    world.driver.script.volume.condition(volumeId, true, "slow");
    expect((await world.client.node.nodeGetVolumeStats({ volumeId, volumePath: world.folder })).volumeCondition?.message).toBe("slow");
  });
});

describe("NodeExpandVolume", () => {
  const range = (requiredBytes: bigint) => ({ capacityRange: { requiredBytes } });
  test.each<[string, Partial<HostpathOptions>, (id: string, path: string) => object, string]>([
    [
      "when it is off",
      { nodeExpansion: false },
      (id, path) => ({ volumeId: id, volumePath: path, ...range(GiB) }),
      "Unimplemented: unsupported capability EXPAND_VOLUME",
    ],
    ["without a volume", {}, () => ({}), "InvalidArgument: volume_id missing in request"],
    [
      "of an unknown volume",
      {},
      (_, path) => ({ volumeId: "x", volumePath: path, ...range(GiB) }),
      "NotFound: volume id x does not exist in the volumes list",
    ],
    ["without a path", {}, (id) => ({ volumeId: id, ...range(GiB) }), "InvalidArgument: volume_path missing in request"],
    ["without a range", {}, (id, path) => ({ volumeId: id, volumePath: path }), "InvalidArgument: capacity_range missing in request"],
    [
      "of a negative range",
      {},
      (id, path) => ({ volumeId: id, volumePath: path, ...range(-1n) }),
      "InvalidArgument: capacity range must not be negative: required -1, limit 0",
    ],
    [
      "above the node's maximum",
      { maxVolumeSizeNode: GiB },
      (id, path) => ({ volumeId: id, volumePath: path, ...range(GiB + 1n) }),
      `OutOfRange: Requested capacity ${GiB + 1n} exceeds maximum allowed ${GiB}`,
    ],
    [
      "at a path that is not there",
      {},
      (id) => ({ volumeId: id, volumePath: "/no/such", ...range(GiB) }),
      "InvalidArgument: volume_path /no/such does not exist",
    ],
    [
      "of a mount volume at a file",
      {},
      (id) => ({ volumeId: id, volumePath: import.meta.path, ...range(GiB) }),
      `InvalidArgument: volume ID is a mount volume, and ${import.meta.path} is none`,
    ],
    ["of a published volume", {}, (id, path) => ({ volumeId: id, volumePath: path, ...range(GiB) }), "OK"],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const id = await create(world, named("a"));
    const path = await publish(world, id);
    expect(await outcome(world.client.node.nodeExpandVolume(request(id, path)))).toBe(expected.replace("ID", id));
  });
});

test("a driver that expands on nodes only gives the volume its space there", async () => {
  await using world = await startWorld({ controllerExpansion: false });
  const volumeId = await create(world, { ...named("a"), volumeCapabilities: [block()] });
  const volumePath = await publish(world, volumeId, "target", block());
  const expand = (requiredBytes: bigint) => world.client.node.nodeExpandVolume({ volumeId, volumePath, capacityRange: { requiredBytes } });
  expect([await expand(2n * GiB), await expand(GiB)]).toEqual([{ capacityBytes: 2n * GiB }, { capacityBytes: 2n * GiB }]);
  expect((await stat(join(world.stateDir, volumeId))).size).toBe(Number(2n * GiB));
  expect(world.driver.state.volumes).toMatchObject([{ size: 2n * GiB }]);
});
