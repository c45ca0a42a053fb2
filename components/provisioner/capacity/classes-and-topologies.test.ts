import { describe, expect, test } from "bun:test";
import { startWorld } from "./testing/capacity-world.ts";
import { addClass, addNode, driverName } from "./testing/manifests.ts";

describe("classes and places", () => {
  test("make one object each pair, marked as ours", async () => {
    await using world = await startWorld();
    await addClass(world.admin, "fast");
    await addClass(world.admin, "slow");
    await addClass(world.admin, "foreign", { provisioner: "other.example.com" });
    await addNode(world.admin, "n1", { zone: "zone1" });
    await addNode(world.admin, "n2", { zone: "zone1" });
    await addNode(world.admin, "n3", { zone: "zone2" });
    const instance = await world.start();
    await world.untilObjects("fast zone=zone1 1Gi", "fast zone=zone2 1Gi", "slow zone=zone1 1Gi", "slow zone=zone2 1Gi");
    await world.until(async () => (await instance.counts()).current === 4);
    expect(await instance.counts()).toEqual({ goal: 4, current: 4, obsolete: 0 });
    const { metadata } = await world.get("fast zone=zone1 1Gi");
    expect(metadata?.labels).toEqual({
      "csi.storage.k8s.io/drivername": driverName,
      "csi.storage.k8s.io/managed-by": "external-provisioner",
    });
    expect(metadata?.name).toStartWith("csisc-");
    expect(metadata?.ownerReferences).toBeUndefined();
    expect(world.driver.calls("GetCapacity")).toHaveLength(4);
    expect(await world.writes()).toEqual(["create", "create", "create", "create"]);
    expect(await world.refused()).toEqual([]);
  });

  test.each([
    ["nothing", async () => {}],
    ["a place without classes", async ({ admin }: Awaited<ReturnType<typeof startWorld>>) => addNode(admin, "n1", { zone: "zone1" })],
    ["a class without places", async ({ admin }: Awaited<ReturnType<typeof startWorld>>) => addClass(admin, "fast")],
  ] as const)("%s: no objects", async (_, given) => {
    await using world = await startWorld();
    await given(world);
    const instance = await world.start();
    await world.clock.advance(10_000);
    expect(await instance.counts()).toEqual({ goal: 0, current: 0, obsolete: 0 });
    expect(await world.objects()).toEqual([]);
    expect(world.driver.calls("GetCapacity")).toHaveLength(0);
  });

  test.each([
    ["the maximum volume size", { availableCapacity: 2n ** 40n, maximumVolumeSize: 2n ** 20n }, "fast zone=zone1 1Ti max 1Mi"],
    ["a maximum of nothing", { availableCapacity: 0n, maximumVolumeSize: 0n }, "fast zone=zone1 0 max 0"],
    ["no room", { availableCapacity: 0n }, "fast zone=zone1 0"],
    ["an odd number of bytes", { availableCapacity: 1025n }, "fast zone=zone1 1025"],
  ])("%s is published", async (_, answer, expected) => {
    await using world = await startWorld();
    world.room = () => answer;
    await addClass(world.admin, "fast");
    await addNode(world.admin, "n1", { zone: "zone1" });
    await world.start();
    await world.untilObjects(expected);
    await world.pollTwice(1);
    expect(await world.writes()).toEqual(["create"]);
  });

  test("a driver without places has room everywhere: one object, that stays", async () => {
    await using world = await startWorld();
    await addClass(world.admin, "fast");
    await addNode(world.admin, "n1", { zone: "zone1" }, []);
    await addNode(world.admin, "n2", { zone: "zone2" }, []);
    const instance = await world.start();
    await world.untilObjects("fast everywhere 1Gi");
    await world.pollTwice(1);
    await instance.stop();
    await world.start();
    await world.pollTwice(1);
    expect(await world.writes()).toEqual(["create"]);
    expect(world.driver.calls("GetCapacity")[0]?.request.accessibleTopology).toEqual({ segments: {} });
  });

  test("immediate binding counts only with the flag", async () => {
    await using world = await startWorld();
    await addClass(world.admin, "late");
    await addClass(world.admin, "soon", { binding: "Immediate" });
    await addNode(world.admin, "n1", { zone: "zone1" });
    const instance = await world.start();
    await world.untilObjects("late zone=zone1 1Gi");
    await world.pollTwice(1);
    await instance.stop();
    const generous = await world.start({ immediateBinding: true });
    await world.untilObjects("late zone=zone1 1Gi", "soon zone=zone1 1Gi");
    await addNode(world.admin, "n2", { zone: "zone2" });
    await world.untilObjects("late zone=zone1 1Gi", "soon zone=zone1 1Gi", "late zone=zone2 1Gi", "soon zone=zone2 1Gi");
    await generous.stop();
    await world.start();
    await world.untilObjects("late zone=zone1 1Gi", "late zone=zone2 1Gi");
  });

  test("the driver is asked with the class's own parameters and the place", async () => {
    await using world = await startWorld();
    const parameters = { pool: "a", "csi.storage.k8s.io/fstype": "xfs" };
    await addClass(world.admin, "fast", { parameters });
    await addNode(world.admin, "n1", { zone: "zone1", rack: "rackA" });
    await world.start();
    await world.untilObjects("fast rack=rackA,zone=zone1 1Gi");
    const [call] = world.driver.calls("GetCapacity");
    expect(call?.request).toMatchObject({
      parameters,
      volumeCapabilities: [],
      accessibleTopology: { segments: { zone: "zone1", rack: "rackA" } },
    });
  });
});
