import { describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { HostpathOptions } from "../driver-options.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, GiB, MiB, mount, named } from "../testing/requests.ts";

const publishTo = (volumeId: string, nodeId: string, more: object = {}) => ({ volumeId, nodeId, volumeCapability: mount(), ...more });

describe("ControllerExpandVolume", () => {
  const to = (requiredBytes: bigint, limitBytes = 0n) => ({ capacityRange: { requiredBytes, limitBytes } });
  test.each<[string, Partial<HostpathOptions>, (id: string) => object, string]>([
    [
      "when there is no expansion",
      { expansion: false },
      (id) => ({ volumeId: id, ...to(2n * GiB) }),
      "Unimplemented: unsupported capability EXPAND_VOLUME",
    ],
    [
      "when the controller has none",
      { controllerExpansion: false },
      (id) => ({ volumeId: id, ...to(2n * GiB) }),
      "Unimplemented: unsupported capability EXPAND_VOLUME",
    ],
    ["without a volume", {}, () => to(2n * GiB), "InvalidArgument: volume_id missing in request"],
    ["without a range", {}, (id) => ({ volumeId: id }), "InvalidArgument: capacity_range missing in request"],
    [
      "above the maximum",
      { maxVolumeSize: GiB },
      (id) => ({ volumeId: id, ...to(2n * GiB) }),
      `OutOfRange: Requested capacity ${2n * GiB} exceeds maximum allowed ${GiB}`,
    ],
    ["of an unknown volume", {}, () => ({ volumeId: "x", ...to(2n * GiB) }), "NotFound: volume id x does not exist in the volumes list"],
    [
      "of a volume above the limit",
      {},
      (id) => ({ volumeId: id, ...to(1n, MiB) }),
      `OutOfRange: volume ID has ${GiB} bytes, more than the limit ${MiB}`,
    ],
    [
      "above what its pool has",
      { capacity: { fast: GiB } },
      (id) => ({ volumeId: id, ...to(2n * GiB) }),
      `ResourceExhausted: requested capacity ${GiB} exceeds remaining capacity for "fast": ${GiB} out of ${GiB} already used`,
    ],
  ])("%s", async (_, options, request, expected) => {
    await using world = await startWorld(options);
    const id = await create(world, named("a"));
    expect(await outcome(world.client.controller.controllerExpandVolume(request(id)))).toBe(expected.replace("ID", id));
  });

  test("grows, and never shrinks", async () => {
    await using world = await startWorld();
    const volumeId = await create(world, { ...named("a"), volumeCapabilities: [block()] });
    const expand = async (size: bigint) => world.client.controller.controllerExpandVolume({ volumeId, ...to(size) });
    expect(await expand(2n * GiB)).toEqual({ capacityBytes: 2n * GiB, nodeExpansionRequired: true });
    expect(await expand(GiB)).toEqual({ capacityBytes: 2n * GiB, nodeExpansionRequired: true });
    const limitOnly = { volumeId, ...to(0n, 5n * GiB) };
    expect((await world.client.controller.controllerExpandVolume(limitOnly)).capacityBytes).toBe(2n * GiB);
    expect((await stat(join(world.stateDir, volumeId))).size).toBe(Number(2n * GiB));
    await world.restart("kill", { nodeExpansion: false });
    expect(await world.client.controller.controllerExpandVolume({ volumeId, ...to(3n * GiB) })).toEqual({
      capacityBytes: 3n * GiB,
      nodeExpansionRequired: false,
    });
  });

  test("waits for a volume in use when it can only be done offline", async () => {
    await using world = await startWorld({ expansionMode: "offline", attach: true });
    const volumeId = await create(world, named("a"));
    await world.client.controller.controllerPublishVolume(publishTo(volumeId, "node-1"));
    const expand = () => outcome(world.client.controller.controllerExpandVolume({ volumeId, ...to(2n * GiB) }));
    expect(await expand()).toBe(`FailedPrecondition: volume ${volumeId} is in use and can only be expanded offline`);
    await world.client.controller.controllerUnpublishVolume({ volumeId });
    expect(await expand()).toBe("OK");
  });
});
