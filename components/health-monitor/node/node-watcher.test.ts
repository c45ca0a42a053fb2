import { describe, expect, test } from "bun:test";
import { limitMs, type NodeWorld, startNodeWorld, text } from "./testing/node-world.ts";

const failed = text.failed("data", "n1", ["web"]);
const failedTwice = text.failed("data", "n1", ["web"], 2);
const recovered = text.recovered("n1");

/** A claim whose pod is on a node that is ready. */
async function startWithPod(): Promise<NodeWorld> {
  const world = await startNodeWorld({ stopped: true });
  await world.addNode("n1");
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  return world;
}

describe("a node that is not ready", () => {
  test.each(["False", "Unknown"] as const)("has failed when the time is over (Ready is %s)", async (status) => {
    await using world = await startWithPod();
    await world.setReady("n1", status);
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs - 1);
    await world.witness();
    expect(await world.told()).toEqual([]);
    await world.clock.advance(1);
    await world.untilEvent("data", "NodeFailed");
    expect(await world.told()).toEqual([failed]);
  });

  test("is timed by our clock when we see it change, whatever its own says", async () => {
    await using world = await startWithPod();
    await world.setReady("n1", "False", world.clock.now() - 10 * limitMs);
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs - 1);
    await world.witness();
    expect(await world.told()).toEqual([]);
  });

  test("is timed by our clock when we see it join, whatever its own says", async () => {
    await using world = await startWithPod();
    await world.addClaim({ name: "other" });
    await world.addPod("other", { node: "n2", claims: ["other"] });
    await world.addNode("n2", "False", world.clock.now() - 10 * limitMs);
    await world.untilWaiting("n2");
    await world.clock.advance(limitMs - 1);
    await world.witness();
    expect(await world.told("other")).toEqual([]);
  });

  test("has not failed when it becomes ready in time, and gets the full time again", async () => {
    await using world = await startWithPod();
    await world.setReady("n1", "False");
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs - 1);
    await world.setReady("n1", "True");
    await world.witness();
    await world.setReady("n1", "False");
    await world.untilWaiting("n1", 2);
    await world.clock.advance(limitMs - 1);
    await world.witness();
    expect(await world.told()).toEqual([]);
    await world.clock.advance(1);
    await world.untilEvent("data", "NodeFailed");
  });

  test("does not get more time when it becomes unreachable too", async () => {
    await using world = await startWithPod();
    await world.setReady("n1", "False");
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs - 1);
    await world.setReady("n1", "Unknown");
    await world.clock.advance(1);
    await world.untilEvent("data", "NodeFailed");
  });

  test("is reported again as long as it is down: the event counts up", async () => {
    await using world = await startWithPod();
    await world.setReady("n1", "False");
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs);
    await world.untilEvent("data", "NodeFailed");
    await world.clock.advance(limitMs - 1);
    await world.witness();
    expect(await world.told()).toEqual([failed]);
    await world.clock.advance(1);
    await world.untilTold([failedTwice]);
  });
});

test("a node that recovers is told once, with upstream's type", async () => {
  await using world = await startWithPod();
  await world.setReady("n1", "False");
  await world.untilWaiting("n1");
  await world.clock.advance(limitMs);
  await world.untilEvent("data", "NodeFailed");
  await world.setReady("n1", "True");
  await world.untilEvent("data", "NodeRecovered");
  await world.setReady("n1", "True", 0);
  await world.clock.advance(2 * limitMs);
  await world.witness();
  expect(await world.told()).toEqual([failed, recovered]);
});

test("a recovery is told to the claims that were told of the failure", async () => {
  await using world = await startWithPod();
  await world.addClaim({ name: "later" });
  await world.addClaim({ name: "moved" });
  await world.addPod("moved", { node: "n1", claims: ["moved"] });
  await world.setReady("n1", "False");
  await world.untilWaiting("n1");
  await world.clock.advance(limitMs);
  await world.untilEvent("data", "NodeFailed");
  await world.untilEvent("moved", "NodeFailed");
  await world.addPod("later", { node: "n1", claims: ["later"] });
  await world.removePod("moved");
  await world.setReady("n1", "True");
  await world.untilEvent("data", "NodeRecovered");
  await world.witness();
  expect(await world.told("later")).toEqual([]);
  expect(await world.told("moved")).toEqual([text.failed("moved", "n1", ["moved"])]);
});

test("a node that is terminated has failed at once, and recovers", async () => {
  await using world = await startWithPod();
  const metric = (value: number) => `csi_sidecars_health_monitor_failed_nodes{driver_name="csi.example.com"} ${value}`;
  expect(await world.metrics()).toContain(metric(0));
  await world.setReady("n1", "False");
  await world.terminate("n1");
  await world.untilEvent("data", "NodeFailed");
  expect(await world.metrics()).toContain(metric(1));
  await world.setReady("n1", "True");
  await world.untilEvent("data", "NodeRecovered");
  expect(await world.told()).toEqual([failed, recovered]);
});

test("a node without a Ready condition has not failed", async () => {
  await using world = await startWithPod();
  await world.setReady("n1", "none");
  await world.clock.advance(10 * limitMs);
  await world.witness();
  expect(await world.told()).toEqual([]);
});

test("heartbeats cost nothing", async () => {
  await using world = await startWithPod();
  await world.setReady("n1", "False");
  await world.untilWaiting("n1");
  for (let i = 1; i <= 5; i++) await world.setReady("n1", "False", i * 1_000);
  await world.witness();
  expect(world.log.lines.filter(({ fields }) => fields.node === "n1")).toHaveLength(1);
});

test("without --enable-node-watcher neither nodes nor pods are requested", async () => {
  await using world = await startNodeWorld({ flags: { enableNodeWatcher: false } });
  await world.untilTrue(async () =>
    (await world.cluster.requests({ user: world.user.name })).some(({ resource }) => resource === "persistentvolumes"),
  );
  await world.stop();
  const requests = await world.cluster.requests({ user: world.user.name });
  expect(requests.filter(({ resource }) => resource === "nodes" || resource === "pods")).toEqual([]);
  expect(await world.refused()).toEqual([]);
});

test("with it they are listed and watched once each, with the rights that it declares", async () => {
  await using world = await startWithPod();
  await world.witness();
  await world.stop();
  const requests = (await world.cluster.requests({ user: world.user.name })).filter(({ resource }) => ["nodes", "pods"].includes(resource));
  expect(requests.map(({ verb, resource }) => `${verb} ${resource}`).sort()).toEqual(["watch nodes", "watch pods"]);
  expect(await world.refused()).toEqual([]);
});
