import { describe, expect, test } from "bun:test";
import { type CapacityWorld, type Instance, startWorld } from "./testing/capacity-world.ts";
import { addClass, addNode, addObject, driverName } from "./testing/manifests.ts";

const nodes = Array.from({ length: 100 }, (_, index) => `node-${String(index).padStart(3, "0")}`);
const startNode = (world: CapacityWorld, name: string): Promise<Instance> =>
  world.start({ nodeName: name, place: { "topology.example.com/node": name } });
const startFleet = (world: CapacityWorld) => Promise.all(nodes.map((name) => startNode(world, name)));
const objectOf = (name: string, size = "1Gi") => `fast topology.example.com/node=${name} ${size}`;

describe("a node deployment", () => {
  test("of 100 nodes asks nothing of the API server as long as nothing changes, and makes no second object after restarts", async () => {
    await using world = await startWorld();
    await addClass(world.admin, "fast");
    let fleet = await startFleet(world);
    await world.untilObjects(...nodes.map((name) => objectOf(name)));
    expect(await world.writes()).toHaveLength(nodes.length);

    await world.pollTwice(nodes.length);
    const quiet = await world.requestCount();
    expect(quiet).toBeGreaterThan(nodes.length);
    for (let round = 0; round < 3; round++) await world.pollTwice(nodes.length);
    expect(await world.requestCount()).toBe(quiet);

    await Promise.all(fleet.map((instance) => instance.stop()));
    fleet = await startFleet(world);
    await world.pollTwice(nodes.length);
    expect(await world.objects()).toEqual(nodes.map((name) => objectOf(name)));
    expect(await world.writes()).toHaveLength(nodes.length);
    expect(await world.refused()).toEqual([]);

    world.room = ({ accessibleTopology }) => ({
      availableCapacity: accessibleTopology?.segments["topology.example.com/node"] === "node-042" ? 1n : 2n ** 30n,
    });
    await world.pollTwice(nodes.length);
    await world.untilObjects(...nodes.map((name) => objectOf(name, name === "node-042" ? "1" : "1Gi")));
    expect(await world.writes()).toHaveLength(nodes.length + 1);
  }, 60_000);

  test("keeps each node's objects apart, without reading nodes", async () => {
    await using world = await startWorld();
    await addClass(world.admin, "fast");
    await addNode(world.admin, "node-000", { zone: "zone1" });
    await addObject(world.admin, { className: "gone" });
    const template = { "csi.storage.k8s.io/drivername": driverName, "csi.storage.k8s.io/managed-by": "external-provisioner-node-000" };
    await addObject(world.admin, { className: "gone-too", labels: template });
    await startNode(world, "node-000");
    await world.untilObjects(objectOf("node-000"), "gone zone=zone1 1Gi");
    expect((await world.get(objectOf("node-000"))).metadata?.labels).toEqual(template);
    const read = (await world.cluster.requests())
      .filter(({ verb, user }) => verb === "watch" && user !== "")
      .map(({ resource }) => resource);
    expect(read).not.toContain("nodes");
    expect(read).not.toContain("csinodes");
  });

  test("of a driver without places says: everywhere", async () => {
    await using world = await startWorld();
    await addClass(world.admin, "fast");
    await world.start({ nodeName: "node-000", place: {} });
    await world.untilObjects("fast everywhere 1Gi");
    await world.pollTwice(1);
    expect(await world.writes()).toEqual(["create"]);
  });
});

describe("a central deployment", () => {
  test("of 100 nodes and 3 classes asks nothing of the API server as long as nothing changes, over restarts", async () => {
    await using world = await startWorld();
    for (const name of ["a", "b", "c"]) await addClass(world.admin, name);
    for (const name of nodes) await addNode(world.admin, name, { "topology.example.com/node": name });
    const pairs = 3 * nodes.length;
    const first = await world.start({ threads: 8 });
    await world.until(async () => (await first.counts()).current === pairs);
    expect(world.driver.calls("GetCapacity")).toHaveLength(pairs);
    await world.pollTwice(pairs);
    const quiet = await world.requestCount();
    await world.pollTwice(pairs);
    expect(await world.requestCount()).toBe(quiet);
    await first.stop();
    const second = await world.start({ threads: 8 });
    await world.pollTwice(pairs);
    expect(await second.counts()).toEqual({ goal: pairs, current: pairs, obsolete: 0 });
    expect(await world.writes()).toEqual(Array.from({ length: pairs }, () => "create"));
    expect(await world.refused()).toEqual([]);
  }, 60_000);

  test("has its queues and objects in the metrics", async () => {
    await using world = await startWorld();
    const { metrics } = await world.start();
    const text = await metrics.metrics();
    for (const name of ["csistoragecapacity", "csitopology"]) expect(text).toContain(`workqueue_depth{name="${name}"} 0`);
    for (const name of ["desired_goal", "desired_current", "obsolete"]) expect(text).toContain(`csistoragecapacities_${name} 0`);
  });
});

const eightZones = Array.from({ length: 8 }, (_, index) => `zone${index}`);

test("with 1 request per second and 5 at once, the discovery and 8 objects take 4 seconds", async () => {
  await using world = await startWorld();
  await addClass(world.admin, "fast");
  for (const zone of eightZones) await addNode(world.admin, zone, { zone });
  const start = world.clock.monotonic();
  await world.start({ threads: 4, limit: { qps: 1, burst: 5 } });
  await world.until(async () => (await world.objects()).length === eightZones.length);
  expect(await world.refused()).toEqual([]);
  expect(world.clock.monotonic() - start).toBeGreaterThanOrEqual(4_000);
});
