import { expect, test } from "bun:test";
import { Node } from "@csi-sidecars/kube";
import { limitMs, startNodeWorld, text } from "./testing/node-world.ts";

const failed = text.failed("data", "n1", ["web"]);
const failedTwice = text.failed("data", "n1", ["web"], 2);

async function startWithPod(status: "True" | "False" = "True") {
  const world = await startNodeWorld({ stopped: true });
  await world.addNode("n1", status);
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  return world;
}

test.each(["True", "False"] as const)("a node that is deleted has failed at once (Ready was %s)", async (status) => {
  await using world = await startWithPod(status);
  if (status === "False") await world.untilWaiting("n1");
  await world.removeNode("n1");
  await world.untilEvent("data", "NodeFailed");
  expect(await world.told()).toEqual([failed]);
});

test("one that was missed by the watch, too", async () => {
  await using world = await startWithPod();
  const release = world.holdWatch(Node);
  await world.removeNode("n1");
  release("expired");
  await world.untilTold([failed]);
});

test("a node of the same name that becomes ready is its recovery", async () => {
  await using world = await startWithPod();
  await world.removeNode("n1");
  await world.untilEvent("data", "NodeFailed");
  await world.addNode("n1");
  await world.untilEvent("data", "NodeRecovered");
  await world.witness();
  expect(await world.told()).toEqual([failed, text.recovered("n1")]);
});

test("it is reported again while pods name it, and forgotten with the last one", async () => {
  await using world = await startWithPod();
  const looks = async () => /^workqueue_adds_total\{name="csi-health-monitor-node"\} \d+$/m.exec(await world.metrics())?.[0];
  await world.removeNode("n1");
  await world.untilEvent("data", "NodeFailed");
  await world.clock.advance(limitMs);
  await world.untilTold([failedTwice]);
  await world.removePod("web");
  await world.clock.advance(limitMs);
  const looked = await looks();
  expect(looked).toBeDefined();
  await world.clock.advance(3 * limitMs);
  expect(await looks()).toBe(looked);
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.addNode("n1");
  await world.clock.advance(2 * limitMs);
  await world.witness();
  expect(await world.told()).toEqual([failedTwice]);
});

test("a pod whose cache was behind is found when the node is looked at again", async () => {
  await using world = await startNodeWorld();
  await world.addNode("n1");
  await world.addClaim();
  await world.removeNode("n1");
  await world.witness();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.clock.advance(limitMs);
  await world.untilTold([failed]);
});

test("a node that was deleted while nobody watched has failed when it is still missing after the time", async () => {
  await using world = await startNodeWorld({ stopped: true });
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  await world.witness();
  await world.clock.advance(limitMs - 1);
  await world.witness();
  expect(await world.told()).toEqual([]);
  await world.clock.advance(1);
  await world.untilTold([failed]);
});

test("a node that a pod knew earlier than the cache of nodes has not failed", async () => {
  await using world = await startNodeWorld({ stopped: true });
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  await world.witness();
  await world.addNode("n1");
  await world.clock.advance(2 * limitMs);
  await world.witness();
  expect(await world.told()).toEqual([]);
});
