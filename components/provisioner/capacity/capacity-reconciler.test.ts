import { describe, expect, test } from "bun:test";
import { CSINode, CSIStorageCapacity, mergePatch, Node, StorageClass } from "@csi-sidecars/kube";
import { type CapacityWorld, startWorld } from "./testing/capacity-world.ts";
import { addClass, addNode, addObject, driverName, namespace } from "./testing/manifests.ts";

const ours = "fast zone=zone1 1Gi";

/** One class, one place. */
async function smallWorld(): Promise<CapacityWorld> {
  const world = await startWorld();
  await addClass(world.admin, "fast");
  await addNode(world.admin, "n1", { zone: "zone1" });
  return world;
}

describe("objects that are there at the start, as upstream names them", () => {
  test("with the right size stay untouched", async () => {
    await using world = await smallWorld();
    const name = await addObject(world.admin);
    const before = await world.get(ours);
    const instance = await world.start();
    expect(await instance.counts()).toEqual({ goal: 1, current: 1, obsolete: 0 });
    await world.pollTwice(1);
    expect(await world.writes()).toEqual([]);
    expect((await world.get(ours)).metadata).toMatchObject({ name, resourceVersion: before.metadata?.resourceVersion });
  });

  test.each([
    ["another size", { capacity: "1Mi" }],
    ["a maximum that is no more", { maximum: "1Mi" }],
  ])("with %s are corrected", async (_, given) => {
    await using world = await smallWorld();
    const name = await addObject(world.admin, given);
    await world.start();
    await world.untilObjects(ours);
    expect((await world.get(ours)).metadata?.name).toBe(name);
    expect(await world.writes()).toEqual(["patch"]);
  });

  test("in another notation of the same size stay untouched", async () => {
    await using world = await smallWorld();
    await addObject(world.admin, { capacity: "1048576Ki" });
    await world.start();
    await world.pollTwice(1);
    expect(await world.writes()).toEqual([]);
  });

  test("of two by two pairs are all corrected", async () => {
    await using world = await smallWorld();
    await addClass(world.admin, "slow");
    await addNode(world.admin, "n2", { zone: "zone2" });
    for (const className of ["fast", "slow"]) {
      for (const zone of ["zone1", "zone2"]) await addObject(world.admin, { className, place: { zone }, capacity: "1" });
    }
    await world.start();
    await world.untilObjects(ours, "fast zone=zone2 1Gi", "slow zone=zone1 1Gi", "slow zone=zone2 1Gi");
    expect(await world.writes()).toEqual(["patch", "patch", "patch", "patch"]);
  });

  test("of pairs that nobody wants go, the missing ones come", async () => {
    await using world = await smallWorld();
    await addClass(world.admin, "slow");
    await addObject(world.admin, { className: "gone" });
    await addObject(world.admin, { place: { zone: "gone" } });
    const instance = await world.start();
    expect(await instance.counts()).toEqual({ goal: 2, current: 0, obsolete: 2 });
    await world.untilObjects(ours, "slow zone=zone1 1Gi");
    await world.until(async () => (await instance.counts()).obsolete === 0);
    expect(await instance.counts()).toEqual({ goal: 2, current: 2, obsolete: 0 });
    expect(await world.refused()).toEqual([]);
  });

  test("of the same pair: the oldest stays, the others go", async () => {
    await using world = await smallWorld();
    for (let count = 0; count < 3; count++) await addObject(world.admin);
    const instance = await world.start();
    expect(await instance.counts()).toEqual({ goal: 1, current: 1, obsolete: 2 });
    await world.untilObjects(ours);
    expect(await world.writes()).toEqual(["delete", "delete"]);
  });

  test("that others manage, or nobody, or that belong to another driver, are left alone", async () => {
    await using world = await smallWorld();
    const template = { "csi.storage.k8s.io/drivername": driverName, "csi.storage.k8s.io/managed-by": "external-provisioner" };
    await addObject(world.admin, { className: "a", labels: {} });
    await addObject(world.admin, { className: "b", labels: { ...template, "csi.storage.k8s.io/managed-by": "external-provisioner-n1" } });
    await addObject(world.admin, { className: "c", labels: { ...template, "csi.storage.k8s.io/drivername": "other" } });
    await world.start();
    await world.untilObjects(ours, "a zone=zone1 1Gi", "b zone=zone1 1Gi", "c zone=zone1 1Gi");
    expect(await world.writes()).toEqual(["create"]);
  });

  test("that say nothing about nodes, or select them otherwise, go", async () => {
    await using world = await smallWorld();
    const labels = { "csi.storage.k8s.io/drivername": driverName, "csi.storage.k8s.io/managed-by": "external-provisioner" };
    const metadata = { generateName: "csisc-", namespace, labels };
    await world.admin.create(CSIStorageCapacity, { metadata, storageClassName: "fast", capacity: "1" });
    const matchExpressions = [{ key: "zone", operator: "Exists" as const }];
    await world.admin.create(CSIStorageCapacity, { metadata, storageClassName: "fast", capacity: "2", nodeTopology: { matchExpressions } });
    await world.start();
    await world.untilObjects(ours);
  });
});

describe("when somebody", () => {
  test("deletes an object, it is made again", async () => {
    await using world = await smallWorld();
    await world.start();
    await world.untilObjects(ours);
    const { metadata } = await world.get(ours);
    await world.admin.delete(CSIStorageCapacity, { namespace, name: metadata?.name ?? "" });
    await world.until(async () => (await world.objects()).length === 1 && (await world.get(ours)).metadata?.uid !== metadata?.uid);
    expect(await world.writes()).toEqual(["create", "create"]);
  });

  test("makes a second object, it goes", async () => {
    await using world = await smallWorld();
    await world.start();
    await world.untilObjects(ours);
    await world.pollTwice(1);
    await addObject(world.admin, { capacity: "5Gi" });
    await world.untilObjects(ours);
  });

  test("takes its labels away, it is left alone and another one is made", async () => {
    await using world = await smallWorld();
    await world.start();
    await world.untilObjects(ours);
    const { metadata } = await world.get(ours);
    await world.edit(ours, { metadata: { labels: null } });
    await world.untilObjects(ours, ours);
    await world.pollTwice(1);
    expect(await world.objects()).toEqual([ours, ours]);
    expect((await world.admin.get(CSIStorageCapacity, { namespace, name: metadata?.name ?? "" })).metadata?.labels).toBeUndefined();
  });

  test("changes an object, it is corrected at once", async () => {
    await using world = await smallWorld();
    await world.start();
    await world.untilObjects(ours);
    await world.edit(ours, { capacity: "7Gi", maximumVolumeSize: "1" });
    await world.untilObjects(ours);
    expect(await world.writes()).toEqual(["create", "patch"]);
  });

  test("replaces an object by one of the wrong size, that is adopted and corrected", async () => {
    await using world = await smallWorld();
    const { counts } = await world.start();
    await world.untilObjects(ours);
    await world.pollTwice(1);
    const held = world.driver.calls("GetCapacity").length;
    world.driver.script("GetCapacity", {
      kind: "delay",
      until: { gate: "replaced" },
      next: { kind: "reply", answer: { availableCapacity: 2n ** 30n } },
    });
    const { metadata } = await world.get(ours);
    await world.admin.delete(CSIStorageCapacity, { namespace, name: metadata?.name ?? "" });
    await world.until(() => world.driver.calls("GetCapacity").length > held);
    expect(await counts()).toMatchObject({ goal: 1, current: 0 });
    const name = await addObject(world.admin, { capacity: "5Gi" });
    await world.until(async () => (await counts()).current === 1);
    world.driver.release("replaced");
    await world.until(async () => (await world.objects()).join() === ours);
    await world.pollTwice(1);
    expect(await world.objects()).toEqual([ours]);
    expect((await world.get(ours)).metadata?.name).toBe(name);
  });
});

describe("when", () => {
  test("the driver has less room, the next poll says so", async () => {
    await using world = await smallWorld();
    await world.start();
    await world.untilObjects(ours);
    world.room = () => ({ availableCapacity: 2n ** 29n, maximumVolumeSize: 2n ** 20n });
    await world.pollTwice(1);
    await world.untilObjects("fast zone=zone1 512Mi max 1Mi");
    world.room = () => ({ availableCapacity: 2n ** 29n });
    await world.pollTwice(1);
    await world.untilObjects("fast zone=zone1 512Mi");
    expect(await world.writes()).toEqual(["create", "patch", "patch"]);
  });

  test("places come, go and change, objects follow", async () => {
    await using world = await smallWorld();
    await world.start();
    await world.untilObjects(ours);
    await addNode(world.admin, "n2", { zone: "zone2" });
    await world.untilObjects(ours, "fast zone=zone2 1Gi");
    await world.admin.delete(CSINode, { name: "n1" });
    await world.untilObjects("fast zone=zone2 1Gi");
    await world.admin.patch(Node, { name: "n2" }, mergePatch({ metadata: { labels: { zone: "zone3" } } }));
    await world.untilObjects("fast zone=zone3 1Gi");
    await world.admin.delete(Node, { name: "n2" });
    await world.untilObjects();
    await world.admin.create(CSINode, { metadata: { name: "n1" }, spec: { drivers: [] } });
    await world.admin.patch(
      CSINode,
      { name: "n1" },
      mergePatch({ spec: { drivers: [{ name: driverName, nodeID: "n1", topologyKeys: ["zone"] }] } }),
    );
    await world.untilObjects(ours);
    await world.admin.patch(CSINode, { name: "n1" }, mergePatch({ spec: { drivers: [] } }));
    await world.untilObjects();
    expect(await world.refused()).toEqual([]);
  });

  test("classes come, change and go, objects follow", async () => {
    await using world = await smallWorld();
    world.room = ({ parameters }) => ({ availableCapacity: parameters.pool === "big" ? 2n ** 31n : 2n ** 30n });
    await world.start();
    await world.untilObjects(ours);
    await addClass(world.admin, "slow");
    await world.untilObjects(ours, "slow zone=zone1 1Gi");
    await world.admin.delete(StorageClass, { name: "slow" });
    await world.untilObjects(ours);
    await addClass(world.admin, "slow", { parameters: { pool: "big" } });
    await world.untilObjects(ours, "slow zone=zone1 2Gi");
    const asked = world.driver.calls("GetCapacity").length;
    await world.admin.patch(StorageClass, { name: "fast" }, mergePatch({ metadata: { labels: { changed: "true" } } }));
    await addClass(world.admin, "another");
    await world.untilObjects(ours, "slow zone=zone1 2Gi", "another zone=zone1 1Gi");
    expect(world.driver.calls("GetCapacity").length).toBe(asked + 1);
  });

  test("a class is replaced by one of the same name, the driver is asked again", async () => {
    await using world = await smallWorld();
    world.room = ({ parameters }) => ({ availableCapacity: parameters.pool === "big" ? 2n ** 31n : 2n ** 30n });
    await world.start();
    await world.untilObjects(ours);
    await world.admin.delete(StorageClass, { name: "fast" });
    await addClass(world.admin, "fast", { parameters: { pool: "big" } });
    await world.untilObjects("fast zone=zone1 2Gi");
  });
});
