import { describe, expect, test } from "bun:test";
import { VolumeCapability_AccessMode_Mode as Mode } from "@csi-sidecars/csi";
import { zoneKey } from "./settings.ts";
import { outcome, startWorld } from "./testing/driver-world.ts";

const volumeCapability = {
  accessType: { $case: "mount" as const, mount: {} },
  accessMode: { mode: Mode.SINGLE_NODE_WRITER },
};
const zoned = { attach: true, otherNodes: ["node-2", "node-3"], zones: { "node-1": "a", "node-2": "b", "node-3": "b" } };
const inZone = (zone: string) => ({ segments: { [zoneKey]: zone } });
const create = (name: string, preferred: string[], requisite = preferred) => ({
  name,
  volumeCapabilities: [volumeCapability],
  accessibilityRequirements: { preferred: preferred.map(inZone), requisite: requisite.map(inZone) },
});

describe("a driver with zones", () => {
  test.each([
    ["the one that is preferred", ["b", "a"], ["a", "b"], "b"],
    ["one that is allowed, if no preferred one is known", ["x"], ["x", "b"], "b"],
    ["its own, if nothing is asked for", [], [], "a"],
  ])("makes a volume in %s", async (_, preferred, requisite, zone) => {
    await using world = await startWorld(zoned);
    const { volume } = await world.client.controller.createVolume(create("v", preferred, requisite));
    expect(volume?.accessibleTopology).toEqual([inZone(zone)]);
  });

  test("refuses zones that it does not have", async () => {
    await using world = await startWorld(zoned);
    expect(world.client.controller.createVolume(create("v", ["x"]))).rejects.toThrow(`only accessible in ${zoneKey}=a, b`);
  });

  test("attaches a volume in its zone alone, stages it there, and knows the zone after a restart", async () => {
    await using world = await startWorld(zoned);
    const { volume } = await world.client.controller.createVolume(create("v", ["b"]));
    await world.restart("kill");
    const publish = (nodeId: string) =>
      world.client.controller.controllerPublishVolume({ volumeId: volume?.volumeId ?? "", nodeId, volumeCapability });
    await expect(publish("node-1")).rejects.toThrow("is in zone b, node node-1 in a");
    await publish("node-3");
    await world.client.node.nodeStageVolume({
      volumeId: volume?.volumeId ?? "",
      stagingTargetPath: world.path("staged"),
      volumeCapability,
    });
    const again = await world.client.controller.createVolume(create("v", ["b"]));
    expect(again.volume?.accessibleTopology).toEqual([inZone("b")]);
  });

  test("does not take a volume in one zone for one that is asked for in another", async () => {
    await using world = await startWorld(zoned);
    const { controller } = world.client;
    const { volume } = await controller.createVolume(create("v", ["b"]));
    expect((await controller.createVolume(create("v", ["a"], ["a", "b"]))).volume).toEqual(volume!);
    expect(await outcome(controller.createVolume(create("v", ["a"])))).toBe(
      "AlreadyExists: Volume with the same name: v but with different topology already exist",
    );
  });

  test.each([
    ["one of its zones", inZone("b"), 1n << 40n],
    ["another zone", inZone("x"), 0n],
    ["a place of which it knows nothing", { segments: { "example.com/rack": "1" } }, 1n << 40n],
  ])("has capacity in %s", async (_, accessibleTopology, expected) => {
    await using world = await startWorld(zoned);
    expect((await world.client.controller.getCapacity({ accessibleTopology })).availableCapacity).toBe(expected);
  });

  test("tells the zone of its node", async () => {
    await using world = await startWorld(zoned);
    expect((await world.client.node.nodeGetInfo({})).accessibleTopology).toEqual(inZone("a"));
  });
});
