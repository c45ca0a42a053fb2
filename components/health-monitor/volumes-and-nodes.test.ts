import { describe, expect, test } from "bun:test";
import { limitMs, startNodeWorld, text } from "./node/testing/node-world.ts";
import { gets, lists } from "./testing/health-world.ts";

describe.each([
  ["ListVolumes", lists],
  ["ControllerGetVolume", gets],
] as const)("nodes are watched beside %s", (_, capabilities) => {
  test("a node without conditions says nothing about an abnormal volume", async () => {
    await using world = await startNodeWorld({ stopped: true, driver: { capabilities } });
    await world.addNode("n1", "none");
    await world.addClaim();
    await world.addPod("web", { node: "n1", claims: ["data"] });
    world.setCondition("Volume not found");
    await world.run();
    await world.untilTrue(async () => {
      await world.clock.advance(2_000);
      return (await world.told()).length > 0;
    });
    await world.witness();
    expect(await world.told()).toEqual([expect.stringMatching(/^Warning VolumeConditionAbnormal x\d+: Volume not found$/)]);
  });

  test("that a node has failed says nothing about the volume, nor the other way round", async () => {
    await using world = await startNodeWorld({ stopped: true, driver: { capabilities } });
    await world.addNode("n1", "False", world.clock.now() - 10 * limitMs);
    await world.addClaim();
    await world.addPod("web", { node: "n1", claims: ["data"] });
    await world.run();
    await world.untilEvent("data", "NodeFailed");
    await world.setReady("n1", "True");
    await world.untilEvent("data", "NodeRecovered");
    await world.checked();
    expect(await world.told()).toEqual([text.failed("data", "n1", ["web"]), text.recovered("n1")]);
  });
});

test("a volume that is abnormal for long hides no news of its node", async () => {
  await using world = await startNodeWorld({ stopped: true, driver: { capabilities: gets } });
  await world.addNode("n1");
  await world.addClaim();
  await world.addPod("web", { node: "n1", claims: ["data"] });
  world.setCondition("Volume not found");
  await world.run();
  const checks = () => world.driver.calls("ControllerGetVolume").filter(({ endedAt }) => endedAt !== undefined).length;
  await world.untilTrue(async () => {
    await world.clock.advance(10_000);
    return checks() >= 40;
  });
  await world.setReady("n1", "False");
  await world.untilWaiting("n1");
  await world.clock.advance(limitMs);
  await world.untilEvent("data", "NodeFailed");
  await world.setReady("n1", "True");
  await world.untilEvent("data", "NodeRecovered");
}, 60_000);
