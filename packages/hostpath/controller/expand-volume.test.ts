import { describe, expect, test } from "bun:test";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { HostpathOptions } from "../settings.ts";
import { openAppendFile } from "../state/durable-file.ts";
import { outcome, startWorld } from "../testing/driver-world.ts";
import { block, create, GiB, MiB, mount, named } from "../testing/requests.ts";

const publishTo = (volumeId: string, nodeId: string, more: object = {}) => ({ volumeId, nodeId, volumeCapability: mount(), ...more });

const maxInt64 = (1n << 63n) - 1n;

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
    expect((await world.client.controller.controllerExpandVolume({ volumeId, ...to(0n, 2n * GiB) })).capacityBytes).toBe(2n * GiB);
    const limitOnly = { volumeId, ...to(0n, 5n * GiB) };
    expect((await world.client.controller.controllerExpandVolume(limitOnly)).capacityBytes).toBe(2n * GiB);
    expect((await stat(join(world.stateDir, volumeId))).size).toBe(Number(2n * GiB));
    await world.restart("kill", { nodeExpansion: false });
    expect(await world.client.controller.controllerExpandVolume({ volumeId, ...to(3n * GiB) })).toEqual({
      capacityBytes: 3n * GiB,
      nodeExpansionRequired: false,
    });
  });

  test("is taken back when it cannot be noted", async () => {
    let full = false;
    await using world = await startWorld({
      openFile: async (path) => {
        const file = await openAppendFile(path);
        return {
          ...file,
          append: (bytes, at) => (full ? Promise.reject(new Error("ENOSPC: no space left on device")) : file.append(bytes, at)),
        };
      },
    });
    const volumeId = await create(world, { ...named("a"), volumeCapabilities: [block()] });
    const expand = () => outcome(world.client.controller.controllerExpandVolume({ volumeId, ...to(2n * GiB) }));
    const fileSize = async () => BigInt((await stat(join(world.stateDir, volumeId))).size);
    full = true;
    expect(await expand()).toStartWith("Internal: cannot write the state: ENOSPC");
    expect(await fileSize()).toBe(GiB);
    full = false;
    expect(await expand()).toBe("OK");
    expect(await fileSize()).toBe(2n * GiB);
  });

  test("beyond what the file system can hold is out of range, with nothing done", async () => {
    await using world = await startWorld({ maxVolumeSize: maxInt64 });
    const volumeId = await create(world, { ...named("a"), volumeCapabilities: [block()] });
    const expand = await outcome(world.client.controller.controllerExpandVolume({ volumeId, ...to(maxInt64) }));
    expect(expand).toStartWith("OutOfRange: the file system cannot have a file of");
    expect((await stat(join(world.stateDir, volumeId))).size).toBe(Number(GiB));
    const request = { name: "huge", volumeCapabilities: [block()], ...to(maxInt64) };
    expect(await outcome(world.client.controller.createVolume(request))).toStartWith("OutOfRange");
    const mounted = await world.client.controller.createVolume({ ...request, volumeCapabilities: [mount()] });
    await world.restart("kill");
    expect(world.driver.state.volumes.find(({ id }) => id === mounted.volume?.volumeId)?.size).toBe(maxInt64);
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
