import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { Event } from "@csi-sidecars/kube";
import { type Disturbance, step } from "@csi-sidecars/testcluster";
import { gets, type HealthWorld, lists, startWorld } from "./testing/health-world.ts";

const recovery = "Normal VolumeConditionNormal x1: The Volume returns to the healthy state";
const isAbnormal = (event: string) => event.startsWith("Warning VolumeConditionAbnormal");

/** Moves the clock on, and starts the process again whenever it has died, until the claim was told so. */
async function untilTold(world: HealthWorld, what: string, isTold: (events: readonly string[]) => boolean): Promise<void> {
  let seen: readonly string[] = [];
  const look = async () => {
    if (world.dead) await world.run();
    await world.clock.advance(10_000);
    seen = await world.told();
    return !world.dead && isTold(seen);
  };
  await until(() => `${what}, seen: ${seen.join("\n")}`, look);
}

/** Waits until every volume was checked so many more times, also by a process that takes the place of one that has just died. */
async function moreChecks(world: HealthWorld, times: number): Promise<void> {
  const checks = () => world.driver.calls("ListVolumes").length + world.driver.calls("ControllerGetVolume").length;
  const before = checks();
  await until(`${times} checks`, async () => {
    if (world.dead) await world.run();
    await world.clock.advance(10_000);
    return checks() >= before + times;
  });
}

describe.each([
  ["ListVolumes", lists],
  ["ControllerGetVolume", gets],
] as const)("with %s", (_, capabilities) => {
  const start = async () => {
    const world = await startWorld({ stopped: true, driver: { capabilities } });
    await world.addClaim();
    world.setCondition("broken");
    return world;
  };

  describe("the process dies", () => {
    test.each<[string, Disturbance]>([
      ["before it tells that the volume is abnormal", { verb: "create", resource: Event, how: "dies before" }],
      ["after it told that", { verb: "create", resource: Event, how: "dies after" }],
      ["before it tells it again", { verb: "patch", resource: Event, how: "dies before" }],
      ["after it told it again", { verb: "patch", resource: Event, how: "dies after" }],
    ])("%s: the recovery is told once", async (_when, death) => {
      await using world = await start();
      world.disturb(death);
      await world.run();
      await untilTold(world, "abnormal", (events) => events.some(isAbnormal) && (death.times ?? 1) === 0);
      world.setCondition(undefined);
      await untilTold(world, "recovery", (events) => events.includes(recovery));
      await moreChecks(world, 3);
      expect((await world.told()).filter((event) => !isAbnormal(event))).toEqual([recovery]);
    });

    test.each(["dies before", "dies after"] as const)("when it tells the recovery, it %s: that is told once", async (how) => {
      await using world = await start();
      await world.run();
      await untilTold(world, "abnormal", (events) => events.some(isAbnormal));
      world.disturb({ verb: "create", resource: Event, how });
      world.setCondition(undefined);
      await untilTold(world, "recovery", (events) => events.includes(recovery));
      await moreChecks(world, 3);
      expect((await world.told()).filter((event) => !isAbnormal(event))).toEqual([recovery]);
    });
  });

  test("the driver is gone for a while: nothing is said about its volumes, and they are checked when it is back", async () => {
    await using world = await start();
    await world.run();
    await untilTold(world, "abnormal", (events) => events.some(isAbnormal));
    await world.driver.kill();
    world.setCondition(undefined);
    await world.clock.advance(900_000);
    expect((await world.told()).every(isAbnormal)).toBe(true);
    await world.driver.start();
    await untilTold(world, "recovery", (events) => events.includes(recovery));
  });

  test("a process that takes over tells the recovery from what the one before told", async () => {
    await using world = await start();
    await world.run();
    await untilTold(world, "abnormal", (events) => events.some(isAbnormal));
    await world.stop();
    world.setCondition(undefined);
    await world.run();
    await untilTold(world, "recovery", (events) => events.includes(recovery));
    await world.restart();
    await moreChecks(world, 3);
    expect((await world.told()).filter((event) => !isAbnormal(event))).toEqual([recovery]);
  });
});

test("the process dies between two pages: nothing was said, and the next begins with the first page", async () => {
  await using world = await startWorld({ stopped: true, flags: { maxEntries: 1 } });
  await world.addClaim();
  await world.addClaim({ name: "second" });
  world.setCondition("broken");
  world.driver.script("ListVolumes", step.act, step.waitFor("never"));
  await world.run();
  await world.driver.called("ListVolumes", 2);
  await world.kill();
  expect(await world.told()).toEqual([]);
  await world.run();
  await world.untilTold(["Warning VolumeConditionAbnormal x1: broken"]);
  expect(world.driver.calls("ListVolumes").map(({ request }) => request.startingToken)).toEqual(["", "1", "", "1"]);
});

test("the API server is gone for minutes: what was found meanwhile is told when it is back", async () => {
  await using world = await startWorld({ stopped: true, ownServer: true });
  await world.addClaim();
  await world.run();
  await world.driver.called("ListVolumes");
  await world.cluster.stop("abrupt");
  world.setCondition("broken");
  await world.passes(3);
  world.setCondition(undefined);
  await world.passes(3);
  await world.cluster.start();
  await world.untilTold(["Warning VolumeConditionAbnormal x3: broken", recovery]);
}, 60_000);
