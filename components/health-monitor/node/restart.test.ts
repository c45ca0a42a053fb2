import { describe, expect, test } from "bun:test";
import { Event, StatusError } from "@csi-sidecars/kube";
import { healthMonitorRules } from "../rbac.ts";
import { limitMs, type NodeWorld, startNodeWorld, text } from "./testing/node-world.ts";

const failed = text.failed("data", "n1", ["web"]);
const recovered = text.recovered("n1");

/** A claim whose pod is on a node that is down, and has been for some time. */
async function startWithFailedNode(forMs: number): Promise<NodeWorld> {
  const world = await startNodeWorld({ stopped: true });
  await world.addNode("n1", "Unknown", world.clock.now() - forMs);
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  return world;
}

describe("a node that is down at the start", () => {
  test("for long has failed at once", async () => {
    await using world = await startWithFailedNode(10 * limitMs);
    await world.untilEvent("data", "NodeFailed");
    expect(await world.told()).toEqual([failed]);
  });

  test("for some time gets the rest", async () => {
    await using world = await startWithFailedNode(limitMs - 60_000);
    await world.untilWaiting("n1");
    // The times of conditions have whole seconds.
    await world.clock.advance(58_999);
    await world.witness();
    expect(await world.told()).toEqual([]);
    await world.clock.advance(1_001);
    await world.untilEvent("data", "NodeFailed");
  });

  test("since a time that has not come yet gets the full time", async () => {
    await using world = await startWithFailedNode(-10 * limitMs);
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs - 1);
    await world.witness();
    expect(await world.told()).toEqual([]);
    await world.clock.advance(1);
    await world.untilEvent("data", "NodeFailed");
  });
});

describe("after a restart", () => {
  test("what was reported is not reported again before it is due", async () => {
    await using world = await startWithFailedNode(10 * limitMs);
    await world.untilEvent("data", "NodeFailed");
    for (let i = 1; i <= 3; i++) {
      await world.kill();
      await world.run();
      await world.untilWaiting("n1", i);
    }
    await world.witness();
    expect(await world.told()).toEqual([failed]);
    // So have those of events, which have the real time.
    await world.clock.advance(limitMs + 1_000);
    await world.untilTrue(async () => (await world.told()).length === 2);
    expect(await world.told()).toEqual([failed, failed]);
  });

  test("a recovery that nobody saw is told, once", async () => {
    await using world = await startWithFailedNode(10 * limitMs);
    await world.untilEvent("data", "NodeFailed");
    await world.kill();
    await world.setReady("n1", "True");
    await world.run();
    await world.untilEvent("data", "NodeRecovered");
    await world.kill();
    await world.run();
    await world.witness();
    expect(await world.told()).toEqual([failed, recovered]);
  });

  test.each(["dies before", "dies after"] as const)("when the process %s it tells the failure, that is told once", async (how) => {
    await using world = await startNodeWorld({ stopped: true });
    world.disturb({ verb: "create", resource: Event, how });
    await world.addNode("n1", "Unknown", 0);
    await world.addClaim();
    await world.addPod("web", { node: "n1", claims: ["data"] });
    await world.run();
    await world.untilTrue(() => world.dead);
    expect(await world.told()).toEqual(how === "dies before" ? [] : [failed]);
    await world.run();
    await world.untilEvent("data", "NodeFailed");
    await world.witness();
    expect(await world.told()).toEqual([failed]);
    await world.setReady("n1", "True");
    await world.untilEvent("data", "NodeRecovered");
  });

  test.each(["dies before", "dies after"] as const)("when it %s it tells the recovery, that is told once", async (how) => {
    await using world = await startWithFailedNode(10 * limitMs);
    await world.untilEvent("data", "NodeFailed");
    world.disturb({ verb: "create", resource: Event, how });
    await world.setReady("n1", "True");
    await world.untilTrue(() => world.dead);
    expect(await world.told()).toEqual(how === "dies before" ? [failed] : [failed, recovered]);
    await world.run();
    await world.untilEvent("data", "NodeRecovered");
    await world.witness();
    expect(await world.told()).toEqual([failed, recovered]);
  });

  test("claims that the earlier process could not tell any more are told with the next report", async () => {
    await using world = await startNodeWorld({ stopped: true });
    world.disturb({ verb: "create", resource: Event, how: "dies after" });
    await world.addNode("n1", "Unknown", 0);
    const claims = Array.from({ length: 20 }, (_, i) => `data-${i}`);
    for (const name of claims) await world.addClaim({ name });
    await world.addPod("web", { node: "n1", claims });
    const told = async () => (await Promise.all(claims.map(world.told))).map((events) => events.length);
    await world.run();
    await world.untilTrue(() => world.dead);
    await world.kill();
    const before = await told();
    expect(before).toContain(1);
    expect(before).toContain(0);
    await world.run();
    await world.untilWaiting("n1");
    await world.clock.advance(limitMs + 1_000);
    await world.untilTrue(async () => !(await told()).includes(0));
    expect(Math.max(...(await told()))).toBeLessThanOrEqual(2);
  });

  test("a claim that has left the node is told nothing, nor are others there", async () => {
    await using world = await startWithFailedNode(10 * limitMs);
    await world.untilEvent("data", "NodeFailed");
    await world.kill();
    await world.removePod("web");
    await world.addClaim({ name: "other" });
    await world.addPod("other", { node: "n1", claims: ["other"] });
    await world.setReady("n1", "True");
    await world.run();
    await world.witness();
    expect([await world.told(), await world.told("other")]).toEqual([[failed], []]);
  });

  test("a node of which everything is gone is forgotten", async () => {
    await using world = await startWithFailedNode(10 * limitMs);
    await world.untilEvent("data", "NodeFailed");
    await world.kill();
    await world.removePod("web");
    await world.removeNode("n1");
    await world.run();
    await world.clock.advance(2 * limitMs);
    expect(await world.metrics()).toContain('csi_sidecars_health_monitor_failed_nodes{driver_name="csi.example.com"} 0');
    await world.witness();
    expect(await world.told()).toEqual([failed]);
  });
});

test("events that cannot be listed: nodes are watched all the same", async () => {
  const rules = healthMonitorRules({ enableNodeWatcher: true }).cluster;
  const role = rules.map((rule) => (rule.resources.includes("events") ? { ...rule, verbs: ["create", "patch"] } : rule));
  await using world = await startNodeWorld({ stopped: true, role });
  await world.addNode("n1", "False", 0);
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  await world.untilEvent("data", "NodeFailed");
  expect(world.log.lines.filter(({ message }) => message.startsWith("Could not read the events about failed nodes"))).toHaveLength(1);
});

test("events that can be listed only later: a recovery that nobody saw is told then", async () => {
  let isForbidden = false;
  await using world = await startNodeWorld({
    stopped: true,
    wrapClient: (client) => ({
      ...client,
      list: (resource, options) =>
        resource.plural === Event.plural && isForbidden
          ? Promise.reject(new StatusError({ code: 403, reason: "Forbidden", message: "no" }))
          : client.list(resource, options),
    }),
  });
  await world.addNode("n1", "Unknown", 0);
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  await world.run();
  await world.untilEvent("data", "NodeFailed");
  await world.kill();
  await world.setReady("n1", "True");
  isForbidden = true;
  await world.run();
  await world.witness();
  expect(await world.told()).toEqual([failed]);
  isForbidden = false;
  await world.clock.advance(60_000);
  await world.untilEvent("data", "NodeRecovered");
  await world.clock.advance(60_000);
  await world.witness();
  expect(await world.told()).toEqual([failed, recovered]);
});

test("only events of its own are listed", async () => {
  await using world = await startWithFailedNode(10 * limitMs);
  await world.untilEvent("data", "NodeFailed");
  const lists = (await world.cluster.requests({ user: world.user.name })).filter(
    ({ verb, resource }) => verb === "list" && resource === Event.plural,
  );
  expect(lists.filter(({ query }) => !query.includes("fieldSelector"))).toEqual([]);
});
