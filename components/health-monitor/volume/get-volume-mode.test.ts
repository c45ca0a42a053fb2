import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { mergePatch, PersistentVolume } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { gets, type HealthWorld, startWorld, type WorldOptions } from "../testing/health-world.ts";
import { handleOf, volumeNameOf } from "../testing/objects.ts";

const abnormal = (count: number, message = "Volume not found") => `Warning VolumeConditionAbnormal x${count}: ${message}`;
const interval = 60_000;
const driver = { capabilities: gets };

const start = (options: WorldOptions = {}) => startWorld({ stopped: true, ...options, driver: { ...driver, ...options.driver } });
const asked = (world: HealthWorld, claim = "data") =>
  world.driver.calls("ControllerGetVolume").filter(({ request }) => request.volumeId === handleOf(claim)).length;

/** Just before the next interval begins: a volume may have its place at the very beginning. */
const firstInterval = interval - 500;

/** Moves the clock on by an interval, giving the calls the time that they take. */
async function oneInterval(world: HealthWorld, length = interval): Promise<void> {
  const end = world.clock.monotonic() + length;
  while (world.clock.monotonic() < end) {
    await until("the component waits", () => world.clock.waiting > 0);
    await world.clock.advance(Math.min(500, end - world.clock.monotonic()));
  }
  await until("the last answer", () => world.driver.calls("ControllerGetVolume").every(({ endedAt }) => endedAt !== undefined));
}

describe("a driver that has to be asked about each volume", () => {
  test("is asked once per interval about each; abnormal ones are reported each time, recovery is told once", async () => {
    await using world = await start();
    for (const name of ["data", "b", "c", "d"]) await world.addClaim({ name });
    world.setCondition("Volume not found");
    await world.run();
    for (let i = 1; i <= 3; i++) {
      await oneInterval(world, i === 1 ? firstInterval : interval);
      expect(["data", "b", "c", "d"].map((name) => asked(world, name))).toEqual([i, i, i, i]);
    }
    await world.untilTold([abnormal(3)]);
    world.setCondition(undefined);
    await oneInterval(world);
    await oneInterval(world);
    await world.untilTold([abnormal(3), "Normal VolumeConditionNormal x1: The Volume returns to the healthy state"]);
    for (const name of ["b", "c", "d"]) expect(await world.told(name)).toEqual([]);
    expect(world.driver.calls("ListVolumes")).toEqual([]);
    expect(await world.requests()).toEqual([]);
    expect(await world.refused()).toEqual([]);
  });

  test("at most --worker-threads calls are in flight, and a slow driver is asked less often", async () => {
    await using world = await start({ flags: { workerThreads: 3 } });
    const names = Array.from({ length: 8 }, (_, i) => `claim-${i}`);
    for (const name of names) await world.addClaim({ name });
    world.driver.always("ControllerGetVolume", step.waitFor("go"));
    await world.run();
    await until("three calls", async () => {
      await world.clock.advance(2_000);
      return world.driver.calls("ControllerGetVolume").length === 3;
    });
    await world.clock.advance(3 * interval);
    const open = () => world.driver.calls("ControllerGetVolume").filter(({ endedAt }) => endedAt === undefined).length;
    expect(open()).toBe(3);
    world.driver.release("go");
    await until("all calls", async () => {
      await world.clock.advance(500);
      return names.every((name) => asked(world, name) > 0);
    });
    await until("the round to end", async () => {
      await world.clock.advance(2_000);
      return world.log.lines.some(({ message }) => message.startsWith("Checking all volumes takes longer than the interval"));
    });
  });

  test("an error is no condition: nothing is said, and the volume is asked about again", async () => {
    await using world = await start();
    await world.addClaim();
    world.setCondition("Volume not found");
    world.driver.script("ControllerGetVolume", step.fail("NotFound"), step.fail("Unavailable"), step.fail("Internal", "x"));
    await world.run();
    await oneInterval(world, firstInterval);
    for (let i = 2; i <= 3; i++) await oneInterval(world);
    expect(await world.told()).toEqual([]);
    await oneInterval(world);
    await world.untilTold([abnormal(1)]);
    const errors = world.log.lines.filter(({ severity }) => severity === "error");
    expect(errors.map(({ message, fields }) => [message, fields])).toContainEqual([
      "Check controller volume status error",
      { PV: "pv-data", failed: 1, checked: 1 },
    ]);
    expect(await world.metrics()).toContain('csi_sidecars_health_monitor_failed_checks_total{driver_name="csi.example.com"} 3');
  });

  test("only volumes that are bound to a claim are asked about", async () => {
    await using world = await start();
    await world.addClaim();
    await world.addClaim({ name: "pending", phase: "Pending" });
    await world.addClaim({ name: "released", phase: "Released" });
    await world.addClaim({ name: "other-driver", spec: { csi: { driver: "other.example.com", volumeHandle: handleOf("other-driver") } } });
    await world.addClaim({ name: "no-claim", spec: { claimRef: undefined } });
    await world.addClaim({ name: "no-csi", spec: { csi: undefined, hostPath: { path: "/x" } } });
    await world.addVolume({ name: "claim-gone" }, "some-uid");
    await world.addClaim({ name: "deleting", metadata: { finalizers: ["example.com/hold"] } });
    await world.admin.delete(PersistentVolume, { name: volumeNameOf("deleting") });
    await world.run();
    await oneInterval(world, firstInterval);
    await oneInterval(world);
    expect(world.driver.calls("ControllerGetVolume").map(({ request }) => request.volumeId)).toEqual([handleOf("data"), handleOf("data")]);
    await world.admin.patch(PersistentVolume, { name: volumeNameOf("deleting") }, mergePatch({ metadata: { finalizers: null } }));
  });

  test("a volume that is bound later, deleted or created anew is asked about within an interval, or no more", async () => {
    await using world = await start();
    const claim = await world.addClaim({ phase: "Pending" });
    world.setCondition("Volume not found");
    await world.run();
    await oneInterval(world);
    expect(asked(world)).toBe(0);
    await world.setPhase("data", "Bound");
    await world.checked();
    await oneInterval(world);
    await world.untilTrue(async () => (await world.told()).length === 1);
    await world.removeVolume();
    await world.checked();
    const before = asked(world);
    await oneInterval(world);
    expect(asked(world)).toBe(before);
    await world.addVolume({ phase: "Pending" }, claim.metadata?.uid ?? "");
    await world.checked();
    await oneInterval(world);
    expect(asked(world)).toBe(before);
    await world.setPhase("data", "Bound");
    await world.checked();
    await oneInterval(world);
    expect(asked(world)).toBeGreaterThan(before);
  });

  test("an abnormal volume that is being deleted is neither asked about nor counted any more", async () => {
    await using world = await start();
    await world.addClaim({ metadata: { finalizers: ["example.com/hold"] } });
    world.setCondition("Volume not found");
    const abnormalVolumes = async () => /abnormal_volumes\{.*\} (\d+)/.exec(await world.metrics())?.[1];
    await world.run();
    await oneInterval(world);
    expect(await abnormalVolumes()).toBe("1");
    const before = asked(world);
    world.driver.script("ControllerGetVolume", step.waitFor("go"));
    await until("a call", async () => {
      await world.clock.advance(500);
      return asked(world) > before;
    });
    await world.admin.delete(PersistentVolume, { name: volumeNameOf("data") });
    await world.untilTrue(async () => (await abnormalVolumes()) === "0");
    world.driver.release("go");
    await until("the answer", () => world.driver.calls("ControllerGetVolume").every(({ endedAt }) => endedAt !== undefined));
    await oneInterval(world);
    await oneInterval(world);
    expect([asked(world), await abnormalVolumes()]).toEqual([before + 1, "0"]);
    await world.admin.patch(PersistentVolume, { name: volumeNameOf("data") }, mergePatch({ metadata: { finalizers: null } }));
  });

  test("a volume that is deleted while the driver is asked about it is not reported", async () => {
    await using world = await start();
    await world.addClaim();
    world.setCondition("Volume not found");
    world.driver.script("ControllerGetVolume", step.waitFor("go"));
    await world.run();
    await until("the call", async () => {
      await world.clock.advance(2_000);
      return asked(world) === 1;
    });
    await world.removeVolume();
    await world.checked();
    world.driver.release("go");
    await world.untilTrue(() => world.driver.calls("ControllerGetVolume").every(({ endedAt }) => endedAt !== undefined));
    await world.checked();
    expect(await world.told()).toEqual([]);
  });
});
