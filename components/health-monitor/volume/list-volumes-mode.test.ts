import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { Event, mergePatch, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type DriverOptions, step } from "@csi-sidecars/testcluster";
import { lists, startWorld, type WorldOptions } from "../testing/health-world.ts";
import { driverName, handleOf, inDefault, volumeNameOf } from "../testing/objects.ts";

const recovery = "Normal VolumeConditionNormal x1: The Volume returns to the healthy state";
const abnormal = (count: number, message = "Volume not found") => `Warning VolumeConditionAbnormal x${count}: ${message}`;

/** A world with a claim `data` whose volume is abnormal, and one `witness` that comes later in every list. */
async function abnormalWorld(options: WorldOptions = {}) {
  const world = await startWorld({ stopped: true, ...options });
  await world.addClaim();
  await world.addClaim({ name: "witness" });
  world.setCondition("Volume not found");
  world.setCondition("also broken", "witness");
  return world;
}

describe("a driver that lists volumes", () => {
  test("an abnormal volume is reported in every pass, with one event; it is told once that it is healthy again", async () => {
    await using world = await abnormalWorld();
    await world.run();
    await world.untilTold([abnormal(1)]);
    const [event] = (await world.admin.list(Event)).items.filter(({ involvedObject }) => involvedObject.name === "data");
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("data"));
    expect(event).toMatchObject({
      source: { component: `csi-pv-monitor-controller-${driverName}` },
      reportingComponent: `csi-pv-monitor-controller-${driverName}`,
      involvedObject: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault("data"), uid: metadata?.uid },
    });
    await world.passes(2);
    await world.untilTold([abnormal(3)]);
    world.setCondition(undefined);
    await world.passes(3);
    await world.untilTold([abnormal(6, "also broken")], "witness");
    expect(await world.told()).toEqual([abnormal(3), recovery]);
    world.setCondition("broken again");
    await world.passes();
    await world.untilTold([abnormal(3), recovery, abnormal(1, "broken again")]);
    expect(await world.requests()).toEqual([]);
    expect(await world.refused()).toEqual([]);
  });

  test("healthy volumes are not mentioned, and the driver is asked without any volume too", async () => {
    await using world = await startWorld();
    await world.driver.called("ListVolumes");
    expect(world.driver.calls("ListVolumes").map(({ request }) => request)).toEqual([{ maxEntries: 0, startingToken: "" }]);
    await world.addClaim();
    await world.checked();
    await world.passes(2);
    await world.checked();
    expect(await world.told()).toEqual([]);
    expect(world.driver.calls("ControllerGetVolume")).toEqual([]);
  });

  test("three pages are one pass; one that fails reports nothing and the next begins anew", async () => {
    await using world = await abnormalWorld({ flags: { maxEntries: 1 } });
    await world.addClaim({ name: "third" });
    world.driver.script("ListVolumes", step.act, step.fail("Internal", "no"));
    await world.run();
    await world.driver.called("ListVolumes", 2);
    await world.passes();
    await world.untilTold([abnormal(1, "also broken")], "witness");
    await world.untilTold([abnormal(1)]);
    expect(world.driver.calls("ListVolumes").map(({ request }) => request.startingToken)).toEqual(["", "1", "", "1", "2"]);
    const errors = world.log.lines.filter(({ severity }) => severity === "error").map(({ message, error }) => `${message}: ${error}`);
    expect(errors).toEqual(["Check controller volume status error: Error: failed to list volumes: rpc error: code = Internal desc = no"]);
  });

  test("each page has the time limit to itself", async () => {
    await using world = await abnormalWorld({ flags: { maxEntries: 1, timeout: 800 } });
    world.driver.always("ListVolumes", step.delay(500));
    await world.run();
    // On a busy machine a page may take longer than its limit; both together always do.
    await until("a complete list", async () => {
      await world.clock.advance(10_000);
      return (await world.told()).length > 0;
    });
  });

  test("the next pass is an interval after the end of the one before, and a little more", async () => {
    await using world = await abnormalWorld({ flags: { listVolumesInterval: 60_000 } });
    await world.run();
    await world.untilTold([abnormal(1)]);
    await world.untilTrue(() => world.clock.waiting > 0);
    const began = world.clock.monotonic();
    await world.passes();
    const waited = world.clock.monotonic() - began;
    expect(waited).toBeGreaterThan(60_000);
    expect(waited).toBeLessThanOrEqual(66_000);
  });

  test("senseless entries do no harm: the others of the pass count", async () => {
    await using world = await abnormalWorld();
    const condition = (message: string) => ({ volumeCondition: { abnormal: true, message } });
    const told = `Warning VolumeConditionAbnormal x1: \u0000\u001b[31m\r\n${"x".repeat(16_000)}`;
    world.driver.script(
      "ListVolumes",
      step.reply({
        entries: [
          {},
          { status: condition("of nothing") },
          { volume: { volumeId: "" }, status: condition("of nobody") },
          { volume: { volumeId: "elsewhere" }, status: condition("of others") },
          { volume: { volumeId: handleOf("witness") }, status: condition("first") },
          { volume: { volumeId: handleOf("witness") }, status: condition("") },
          { volume: { volumeId: handleOf("data") }, status: condition(`\u0000\u001b[31m\r\n${"x".repeat(16_000)}${"é".repeat(40_000)}`) },
        ],
      }),
    );
    await world.run();
    await world.untilTold(
      [abnormal(1, "").trimEnd()].map((text) => `${text} `),
      "witness",
    );
    await world.untilTrue(async () => (await world.told()).some((text) => text.startsWith(told) && Buffer.byteLength(text) < 16_500));
  });

  test("who is told: the claims that the volumes of this driver are bound to", async () => {
    await using world = await startWorld({ stopped: true });
    const twice = handleOf("data");
    await world.addClaim();
    await world.addClaim({ name: "same-storage", handle: twice });
    await world.addClaim({ name: "other-driver", spec: { csi: { driver: "other.example.com", volumeHandle: twice } } });
    await world.addClaim({ name: "no-csi", spec: { csi: undefined, hostPath: { path: "/x" } } });
    await world.addClaim({ name: "released", handle: twice, phase: "Released" });
    await world.addClaim({ name: "no-claim", handle: twice, spec: { claimRef: undefined } });
    await world.addVolume({ name: "claim-gone", handle: twice }, "some-uid");
    await world.create(PersistentVolumeClaim, {
      metadata: inDefault("another"),
      spec: (await world.admin.get(PersistentVolumeClaim, inDefault("data"))).spec,
    });
    await world.addVolume({ name: "another", handle: twice }, "uid-of-the-one-before");
    await world.addClaim({ name: "no-uid", handle: twice, spec: { claimRef: inDefault("no-uid") } });
    await world.addClaim({ name: "deleting", handle: twice, metadata: { finalizers: ["example.com/hold"] } });
    await world.admin.delete(PersistentVolume, { name: volumeNameOf("deleting") });
    world.setCondition("Volume not found");
    await world.run();
    for (const claim of ["data", "same-storage", "no-uid", "deleting"]) await world.untilTold([abnormal(1)], claim);
    await world.passes();
    await world.untilTold([abnormal(2)]);
    for (const claim of ["other-driver", "no-csi", "released", "no-claim", "claim-gone", "another"])
      expect(await world.told(claim)).toEqual([]);
    await world.admin.patch(PersistentVolume, { name: volumeNameOf("deleting") }, mergePatch({ metadata: { finalizers: null } }));
  });

  test("a volume that is bound later, or created anew under its name, is reported like any other", async () => {
    await using world = await startWorld({ stopped: true });
    const claim = await world.addClaim({ phase: "Pending" });
    world.setCondition("Volume not found");
    await world.run();
    await world.checked();
    expect(await world.told()).toEqual([]);
    await world.setPhase("data", "Bound");
    await world.checked();
    await world.untilTrue(async () => (await world.told()).length === 1);
    await world.removeVolume();
    await world.checked();
    const before = await world.told();
    await world.checked();
    expect(await world.told()).toEqual(before);
    await world.addVolume({}, claim.metadata?.uid ?? "");
    await world.checked();
    await world.untilTrue(async () => (await world.told()).join() !== before.join());
  });
});

describe("a driver that says it lists volumes and does not", () => {
  const both = { ...lists, controller: [...lists.controller, "GET_VOLUME"] } satisfies DriverOptions["capabilities"];

  test("is asked about each volume after three passes, if it can be", async () => {
    await using world = await startWorld({ stopped: true, driver: { capabilities: both } });
    await world.addClaim();
    world.setCondition("Volume not found");
    world.driver.always("ListVolumes", step.fail("Unimplemented"));
    await world.run();
    await world.driver.called("ListVolumes");
    await world.passes();
    expect(world.driver.calls("ControllerGetVolume")).toEqual([]);
    await world.passes();
    await world.untilTrue(async () => {
      await world.clock.advance(2_000);
      return (await world.told()).includes(abnormal(1));
    });
    expect(world.driver.calls("ListVolumes")).toHaveLength(3);
    expect(world.log.lines.filter(({ message }) => message.includes("does not implement it"))).toHaveLength(1);
  });

  test("other failures, however many, are no reason for that", async () => {
    await using world = await startWorld({ stopped: true, driver: { capabilities: both } });
    await world.addClaim();
    world.setCondition("Volume not found");
    const unimplemented = step.fail("Unimplemented");
    const script = [step.fail("Unavailable"), unimplemented, step.fail("Internal"), unimplemented, unimplemented, step.fail("Unavailable")];
    world.driver.script("ListVolumes", ...script);
    await world.run();
    await world.driver.called("ListVolumes");
    await world.passes(script.length);
    await world.untilTold([abnormal(1)]);
    expect(world.driver.calls("ControllerGetVolume")).toEqual([]);
  });

  test("is asked again and again if it cannot", async () => {
    await using world = await abnormalWorld();
    world.driver.script("ListVolumes", ...Array.from({ length: 4 }, () => step.fail("Unimplemented")));
    await world.run();
    await world.driver.called("ListVolumes");
    await world.passes(4);
    await world.untilTold([abnormal(1)]);
  });
});

describe("with --report-missing-volumes", () => {
  const missingMessage = `The volume handle-data is missing: the CSI driver ${driverName} has left it out of its last two lists of volumes`;
  const missing = (count: number) => `Warning VolumeMissing x${count}: ${missingMessage}`;

  test("a volume that two lists in a row lack is reported until it is back", async () => {
    await using world = await abnormalWorld({ flags: { reportMissingVolumes: true } });
    const without = step.reply({
      entries: [{ volume: { volumeId: handleOf("witness") }, status: { volumeCondition: { abnormal: true, message: "also broken" } } }],
    });
    world.setCondition(undefined);
    world.driver.script("ListVolumes", without, step.act, without, step.fail("Internal"), without, without);
    await world.run();
    await world.untilTold([abnormal(1, "also broken")], "witness");
    await world.passes(3);
    await world.untilTold([abnormal(3, "also broken")], "witness");
    expect(await world.told()).toEqual([]);
    await world.passes(1);
    await world.untilTold([missing(1)]);
    await world.passes(1);
    await world.untilTold([missing(2)]);
    await world.passes(1);
    await world.untilTold([missing(2), recovery]);
  });

  test("a volume that was bound while the driver listed is not missing yet", async () => {
    await using world = await startWorld({ stopped: true, flags: { reportMissingVolumes: true } });
    await world.addClaim({ name: "witness" });
    world.setCondition("broken", "witness");
    const without = step.reply({
      entries: [{ volume: { volumeId: handleOf("witness") }, status: { volumeCondition: { abnormal: true, message: "broken" } } }],
    });
    world.driver.script("ListVolumes", step.waitFor("bound", without), without);
    world.driver.always("ListVolumes", without);
    await world.run();
    await world.driver.called("ListVolumes");
    await world.addClaim();
    world.driver.release("bound");
    await world.untilTold([abnormal(1, "broken")], "witness");
    await world.passes();
    await world.untilTold([abnormal(2, "broken")], "witness");
    expect(await world.told()).toEqual([]);
    await world.untilTrue(async () => {
      await world.passes();
      return (await world.told()).some((told) => told.endsWith(missingMessage));
    });
  });

  test("without the flag nothing is said", async () => {
    await using world = await abnormalWorld();
    world.driver.always(
      "ListVolumes",
      step.reply({
        entries: [{ volume: { volumeId: handleOf("witness") }, status: { volumeCondition: { abnormal: true, message: "x" } } }],
      }),
    );
    await world.run();
    await world.untilTold([abnormal(1, "x")], "witness");
    await world.passes(3);
    await world.untilTold([abnormal(4, "x")], "witness");
    expect(await world.told()).toEqual([]);
  });
});
