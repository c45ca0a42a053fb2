import { describe, expect, test } from "bun:test";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import type { CodeName } from "@csi-sidecars/csi";
import { type Script, step } from "@csi-sidecars/testcluster";
import type { WorldOptions } from "../testing/resizer-world.ts";
import { type ModifyWorld, silverClaim, startModifyWorld } from "./testing/modify-world.ts";

/** As long as these fail, the claim waits for the clock. The first delay is 10 ms, the longest 200 ms. */
async function failingWorld(steps: NonNullable<Script["ControllerModifyVolume"]>, options: WorldOptions = {}) {
  const clock = new FakeClock(Date.parse("2026-01-02T03:04:05Z"));
  const world = await startModifyWorld({ ...options, clock, driver: { script: { ControllerModifyVolume: steps } } });
  await world.addClaim(silverClaim());
  await world.nameClass("gold");
  return { clock, world };
}

/** Waits until the attempt that made the n-th call has ended: its claim waits in the queue. */
async function attempts(world: ModifyWorld, count: number): Promise<void> {
  await world.driver.called("ControllerModifyVolume", count);
  const failed = () => world.log.lines.filter(({ message }) => /Sync failed|Could not modify/.test(message)).length;
  await world.untilTrue(() => failed() >= count);
}

/** How often `gold` was sent, once a call that was due would have been made: another claim is modified meanwhile. */
async function callsSoFar(world: ModifyWorld, witness: string): Promise<number> {
  await world.addClaim(silverClaim({ name: witness }));
  await world.nameClass("bronze", witness);
  await world.untilModified("bronze", witness);
  return world.tiers().filter((tier) => tier === "gold").length;
}

const times = (code: CodeName, count: number) => Array.from({ length: count }, () => step.fail(code, "no"));

describe("a call that fails", () => {
  test.each<[CodeName, boolean]>([
    ["Internal", true],
    ["NotFound", true],
    ["OutOfRange", true],
    ["FailedPrecondition", true],
    ["Unknown", true],
    ["Aborted", false],
    ["Canceled", false],
    ["DeadlineExceeded", false],
    ["Unavailable", false],
    ["ResourceExhausted", false],
  ])("with %s is repeated after its backoff; final: %p", async (code, isFinal) => {
    const { world, clock } = await failingWorld(times(code, 2));
    await using _ = world;
    await attempts(world, 1);
    const { status } = await world.claim();
    expect(status?.modifyVolumeStatus).toEqual({ status: "InProgress", targetVolumeAttributesClassName: "gold" });
    const stamps = { lastProbeTime: "2026-01-02T03:04:05Z", lastTransitionTime: "2026-01-02T03:04:05Z" };
    expect(status?.conditions).toEqual([
      {
        ...{ type: "ModifyingVolume", status: "True", ...stamps },
        message: `Modifying volume to "gold" ${isFinal ? "failed. Waiting for retry." : "is still in progress."}`,
      },
      { type: "ModifyVolumeError", status: "True", reason: code, message: "no", ...stamps },
    ]);
    const text = `rpc error: code = ${code} desc = no${isFinal ? "" : ". Still modifying to VAC gold"}`;
    await world.untilEvent(`Warning VolumeModifyFailed: ${text}`);
    await clock.advance(10);
    await attempts(world, 2);
    await clock.advance(20);
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold", "gold", "gold"]);
    await world.untilEvent("VolumeModifySuccessful");
    await world.stop();
    expect((await world.events()).filter((event) => event.includes("Warning"))).toEqual([`Warning VolumeModifyFailed: ${text}`]);
    // One mark before each call that follows a final answer; a failure mark after each; then volume and claim.
    expect(await world.writes()).toBe(isFinal ? 3 + 2 + 2 : 1 + 2 + 2);
  });

  test("waits for its backoff whoever writes to the claim meanwhile", async () => {
    const { world, clock } = await failingWorld(times("Internal", 1));
    await using _ = world;
    await attempts(world, 1);
    await world.patchStatus({ capacity: { storage: "1Gi" }, allocatedResources: { storage: "1Gi" } });
    await world.patchClaim({ metadata: { labels: { some: "label" } } });
    await clock.advance(9);
    expect(await callsSoFar(world, "witness")).toBe(1);
    await clock.advance(1);
    await world.untilModified("gold");
  });
});

describe("another class is named after an answer that is", () => {
  test("final: it is tried at once", async () => {
    const { world } = await failingWorld(times("Internal", 1));
    await using _ = world;
    await attempts(world, 1);
    await world.nameClass("bronze");
    await world.untilModified("bronze");
    expect(world.tiers()).toEqual(["gold", "bronze"]);
  });

  test("not final: the first one is sent until the driver has answered", async () => {
    const { world, clock } = await failingWorld([...times("DeadlineExceeded", 2), ...times("Internal", 1)]);
    await using _ = world;
    await attempts(world, 1);
    await world.nameClass("bronze");
    await attempts(world, 2);
    await clock.advance(20);
    await world.untilModified("bronze");
    expect(world.tiers()).toEqual(["gold", "gold", "gold", "bronze"]);
  });

  test("not final, and the process is restarted: the first one is sent", async () => {
    const { world } = await failingWorld(times("Internal", 1));
    await using _ = world;
    await attempts(world, 1);
    await world.stop();
    await world.nameClass("bronze");
    await world.run();
    await world.untilModified("bronze");
    expect(world.tiers()).toEqual(["gold", "gold", "bronze"]);
  });
});

describe("a class that the driver refuses", () => {
  const refused = { flags: { retryIntervalMax: 60_000 } };

  test("is sent once per period, with its status and event", async () => {
    const { world, clock } = await failingWorld(times("InvalidArgument", 1), refused);
    await using _ = world;
    await attempts(world, 1);
    const { status } = await world.claim();
    expect(status?.modifyVolumeStatus).toEqual({ status: "Infeasible", targetVolumeAttributesClassName: "gold" });
    expect(status?.conditions).toMatchObject([
      { type: "ModifyingVolume", message: 'Modifying volume to "gold" failed. Waiting for retry.' },
      { type: "ModifyVolumeError", reason: "InvalidArgument", message: "no" },
    ]);
    await world.untilEvent("Warning VolumeModifyFailed: rpc error: code = InvalidArgument desc = no");
    expect(await world.metrics()).toContain('csi_sidecars_resizer_claims{operation="modify",state="infeasible"} 1');
    await clock.advance(59_999);
    expect(await callsSoFar(world, "first")).toBe(1);
    world.driver.script("ControllerModifyVolume", ...times("InvalidArgument", 1));
    await clock.advance(1);
    await world.untilTrue(() => world.log.lines.filter(({ message }) => message.startsWith("Could not modify")).length === 2);
    await clock.advance(59_999);
    expect(await callsSoFar(world, "second")).toBe(2);
    await clock.advance(1);
    await world.untilModified("gold");
  });

  test("is followed by another one at once, and by the one that the volume has", async () => {
    const { world } = await failingWorld(times("InvalidArgument", 2), refused);
    await using _ = world;
    await attempts(world, 1);
    await world.nameClass("bronze");
    await attempts(world, 2);
    await world.nameClass("silver");
    await world.untilModified("silver");
    expect(world.tiers()).toEqual(["gold", "bronze", "silver"]);
  });

  test("is followed by one of its name that is made in its place, at once", async () => {
    const { world } = await failingWorld(times("InvalidArgument", 1), refused);
    await using _ = world;
    await attempts(world, 1);
    await world.deleteClass("gold");
    await world.createClass("gold", { tier: "better gold" });
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold", "better gold"]);
  });

  test("is given up when no class is named any more", async () => {
    const script: Script = { ControllerModifyVolume: [step.waitFor("work", step.fail("InvalidArgument", "no"))] };
    await using world = await startModifyWorld({ ...refused, driver: { script } });
    await world.addClaim();
    await world.nameClass("gold");
    await world.driver.called("ControllerModifyVolume");
    await world.nameClass(null);
    world.driver.release("work");
    await world.untilEvent("Normal VolumeModifyCanceled: Cancelled modify.");
    const { status } = await world.until((claim) => !claim.status?.conditions?.some(({ type }) => type === "ModifyingVolume"));
    expect(status?.modifyVolumeStatus?.status).toBe("Infeasible");
    expect(status?.conditions).toMatchObject([{ type: "ModifyVolumeError", reason: "InvalidArgument" }]);
    expect(world.tiers()).toEqual(["gold"]);
  });
});

test("a driver that does not answer in time is asked again for the same", async () => {
  const clock = new FakeClock();
  const script: Script = { ControllerModifyVolume: [step.lost, step.act] };
  await using world = await startModifyWorld({ clock, driver: { script }, flags: { timeout: 200 } });
  await world.addClaim(silverClaim());
  await world.nameClass("gold");
  await advanceUntil(clock, "the second call", () => world.tiers().length === 2, { stepMs: 10 });
  await world.untilModified("gold");
  expect(world.tiers()).toEqual(["gold", "gold"]);
});

test("a second class that is infeasible too is one call per period, like the first", async () => {
  const { world, clock } = await failingWorld(times("InvalidArgument", 3));
  await using _ = world;
  await attempts(world, 1);
  await world.nameClass("bronze");
  await attempts(world, 2);
  await clock.advance(199);
  await world.addClaim(silverClaim({ name: "witness" }));
  await world.nameClass("gold", "witness");
  await attempts(world, 3);
  expect(world.tiers()).toEqual(["gold", "bronze", "gold"]);
  await advanceUntil(clock, "the next period", () => world.tiers().length > 3, { stepMs: 1 });
});
