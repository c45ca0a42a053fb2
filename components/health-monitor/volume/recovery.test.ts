import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { Event, mergePatch, PersistentVolume, PersistentVolumeClaim, StatusError } from "@csi-sidecars/kube";
import { eventReasons } from "../event-reasons.ts";
import { gets, type HealthWorld, listInterval, lists, startWorld, type WorldOptions } from "../testing/health-world.ts";
import { claimOf, inDefault, volumeNameOf } from "../testing/objects.ts";

const told = "Normal VolumeConditionNormal x1: The Volume returns to the healthy state";
const [early, late] = ["2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"];

/** A world with a healthy volume of `data`, and a broken one of `witness`. */
async function healthyWorld(options: WorldOptions = {}) {
  const world = await startWorld({ stopped: true, ...options });
  const claim = await world.addClaim();
  await world.addClaim({ name: "witness" });
  world.setCondition("broken", "witness");
  return { world, claim, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

/** Waits until the witness was reported so many times: what was due before has been reported. */
async function reported(world: HealthWorld, times: number): Promise<void> {
  await until(`report ${times} of the witness`, async () => {
    const events = await world.told("witness");
    const counts = events.map((text) => Number(/ x(\d+):/.exec(text)?.[1] ?? 0));
    if (counts.reduce((sum, count) => sum + count, 0) >= times) return true;
    if (world.driver.calls("ControllerGetVolume").length > 0 || world.driver.calls("ListVolumes").length === 0)
      await world.clock.advance(2_000);
    return false;
  });
}

describe.each([
  ["ListVolumes", lists],
  ["ControllerGetVolume", gets],
] as const)("with %s", (_, capabilities) => {
  const driver = { capabilities };

  test("what an earlier process reported is told to be over, once", async () => {
    await using given = await healthyWorld({ driver });
    const { world, claim } = given;
    await world.addEvent(claim, { ...eventReasons.abnormal, message: "broken", lastTimestamp: late, source: { component: "whoever" } });
    await world.addEvent(claim, { ...eventReasons.normal, message: "", lastTimestamp: early });
    await world.run();
    await until("the recovery", async () => {
      await world.clock.advance(2_000);
      return (await world.told()).includes(told);
    });
    await world.kill();
    await world.run();
    await world.checked();
    expect((await world.told()).filter((text) => text === told)).toHaveLength(1);
  });
});

test("what was told to be over already, is not; nor what was told about another claim of that name", async () => {
  await using given = await healthyWorld();
  const { world, claim } = given;
  await world.addEvent(claim, { ...eventReasons.abnormal, lastTimestamp: early });
  await world.addEvent(claim, { ...eventReasons.normal, message: "x", lastTimestamp: late });
  await world.addEvent({ metadata: { ...claim.metadata, uid: "before" } }, { ...eventReasons.abnormal, lastTimestamp: late });
  await world.run();
  await reported(world, 1);
  await world.passes();
  await reported(world, 2);
  expect(await world.told()).not.toContain(told);
});

test("events are listed by reason and not watched, once for each start", async () => {
  await using given = await healthyWorld();
  const { world, claim } = given;
  await world.addEvent(claim, { ...eventReasons.abnormal, lastTimestamp: late });
  await world.run();
  await reported(world, 1);
  await world.passes(2);
  await reported(world, 3);
  const requests = await world.cluster.requests({ user: world.user.name });
  const reads = requests.filter(({ resource, verb }) => resource === "events" && ["get", "list", "watch"].includes(verb));
  expect(reads.map(({ verb }) => verb)).toEqual(["list", "list"]);
});

test("the first pass knows what was told before, however long that takes to read", async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  await using given = await healthyWorld({
    wrapClient: (client) => ({
      ...client,
      list: (resource, options) =>
        (resource.plural === Event.plural ? isRead : Promise.resolve()).then(() => client.list(resource, options)),
    }),
  });
  const { world, claim } = given;
  await world.addEvent(claim, { ...eventReasons.abnormal, lastTimestamp: late });
  await world.run();
  expect(world.driver.calls("ListVolumes")).toEqual([]);
  read();
  await until("the recovery, without another pass", async () => (await world.told()).includes(told));
  expect(world.driver.calls("ListVolumes")).toHaveLength(1);
});

test("while the events cannot be read, volumes are checked; the recovery is told later", async () => {
  let isForbidden = true;
  await using given = await healthyWorld({
    wrapClient: (client) => ({
      ...client,
      list: (resource, options) =>
        resource.plural === Event.plural && isForbidden
          ? Promise.reject(new StatusError({ code: 403, reason: "Forbidden", message: "no" }))
          : client.list(resource, options),
    }),
  });
  const { world, claim } = given;
  await world.addEvent(claim, { ...eventReasons.abnormal, lastTimestamp: late });
  await world.run();
  await reported(world, 1);
  expect(world.log.lines.some(({ message }) => message.startsWith("Could not read the events about abnormal volumes"))).toBe(true);
  isForbidden = false;
  await until("the recovery", async () => {
    await world.clock.advance(60_000);
    return (await world.told()).includes(told);
  });
});

test("a claim that is created anew under its name is told nothing about the one before", async () => {
  await using given = await healthyWorld();
  const { world } = given;
  world.setCondition("broken");
  await world.run();
  await reported(world, 1);
  await world.cluster.removeUnderFinalizers(PersistentVolumeClaim, inDefault("data"));
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
  await world.removeVolume();
  world.setCondition(undefined);
  await world.addClaim();
  await world.checked();
  await world.checked();
  expect(await world.told()).not.toContain(told);
});

test("a volume that is bound to another claim is that one's", async () => {
  await using given = await healthyWorld();
  const { world } = given;
  const { metadata } = await world.admin.create(PersistentVolumeClaim, claimOf({ name: "other" }));
  world.setCondition("broken");
  await world.run();
  await reported(world, 1);
  const claimRef = { namespace: "default", name: "other", uid: metadata?.uid };
  await world.admin.patch(PersistentVolume, { name: volumeNameOf("data") }, mergePatch({ spec: { claimRef } }));
  await until("a report to the other claim", async () => {
    await world.clock.advance(listInterval);
    return (await world.told("other")).length > 0;
  });
  const abnormal = (await world.metrics()).matchAll(/^csi_sidecars_health_monitor_claim_abnormal.*persistentvolumeclaim="(.*)"} 1$/gm);
  expect([...abnormal].map(([, claim]) => claim).toSorted()).toEqual(["other", "witness"]);
});
