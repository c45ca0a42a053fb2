import { describe, expect, test } from "bun:test";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Script, step } from "@csi-sidecars/testcluster";
import type { WorldOptions } from "../testing/resizer-world.ts";
import { silverClaim, startModifyWorld } from "./testing/modify-world.ts";

/* The driver has answered: what cannot be written is written again, and the driver is not called for it. */

const claimStatus = { resource: PersistentVolumeClaim, subresource: "status" } as const;
const held = (next: Parameters<typeof step.waitFor>[1] = step.act): Script => ({
  ControllerModifyVolume: [step.waitFor("work", next)] as never,
});

/** A claim whose volume the driver is modifying to `gold`, until `world.driver.release("work")`. */
async function duringCall(next?: Parameters<typeof step.waitFor>[1], options: WorldOptions = {}) {
  const world = await startModifyWorld({ ...options, driver: { script: held(next) } });
  await world.addClaim(silverClaim());
  await world.nameClass("gold");
  await world.driver.called("ControllerModifyVolume");
  return world;
}

const warnings = async (world: { events(): Promise<string[]> }) => (await world.events()).filter((event) => event.startsWith("Warning"));

describe("after a good answer", () => {
  test.each([
    ["the write of the volume is refused, three times", { resource: PersistentVolume, how: "refused", times: 3 }],
    ["the answer to it is lost", { resource: PersistentVolume, how: "lost", times: 1 }],
    ["the write of the claim is refused, three times", { ...claimStatus, how: "refused", times: 3 }],
    ["the answer to it is lost", { ...claimStatus, how: "lost", times: 1 }],
  ] as const)("%s: one call, and success is told once", async (_, disturbance) => {
    await using world = await duringCall();
    world.disturb({ ...disturbance });
    world.driver.release("work");
    await world.untilModified("gold");
    await world.untilEvent("VolumeModifySuccessful");
    await world.stop();
    expect([world.tiers(), await warnings(world)]).toEqual([["gold"], []]);
  });

  test("users are warned when it lasts", async () => {
    const clock = new FakeClock();
    await using world = await duringCall(undefined, { clock });
    world.disturb({ resource: PersistentVolume, how: "refused", times: 6 });
    world.driver.release("work");
    const isModified = async () => (await world.claim()).status?.currentVolumeAttributesClassName === "gold";
    await advanceUntil(clock, "the class in the claim", isModified, { stepMs: 10 });
    await world.untilEvent("VolumeModifyFailed: the volume has the parameters of vac gold, but that cannot be saved: mock error");
    expect(world.tiers()).toEqual(["gold"]);
  });

  test("the process is killed before it is saved: the next one calls again", async () => {
    await using world = await duringCall();
    const unwritable = { ...claimStatus, how: "refused" as const, times: Number.POSITIVE_INFINITY };
    world.disturb(unwritable);
    world.driver.release("work");
    await world.untilVolume(({ spec }) => spec?.volumeAttributesClassName === "gold");
    await world.kill();
    unwritable.times = 0;
    await world.run();
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold", "gold"]);
  });
});

test.each([
  ["refused, three times", "refused", 3],
  ["done, and the answer lost", "lost", 1],
] as const)("the write of a refusal is %s: one call in the period", async (_, how, times) => {
  await using world = await duringCall(step.fail("InvalidArgument", "no"), { flags: { retryIntervalMax: 60_000 } });
  world.disturb({ ...claimStatus, how, times });
  world.driver.release("work");
  await world.until(({ status }) => status?.modifyVolumeStatus?.status === "Infeasible");
  await world.untilEvent("Warning VolumeModifyFailed: rpc error: code = InvalidArgument desc = no");
  expect(world.tiers()).toEqual(["gold"]);
});

describe("somebody else writes to the claim while the driver works:", () => {
  test.each([
    ["success", undefined, "gold"],
    ["failure", step.fail("Internal", "no"), "silver"],
  ] as const)("%s is written on top of that, without another call or a warning about it", async (_, next, current) => {
    const clock = new FakeClock();
    await using world = await duringCall(next, { clock });
    const { conditions = [] } = (await world.claim()).status ?? {};
    world.disturb({
      ...{ ...claimStatus, how: "unseen", times: 1 },
      meanwhile: () =>
        world.patchStatus({
          allocatedResources: { storage: "1Gi" },
          conditions: [...conditions, { type: "Foo", status: "True", message: "theirs" }],
        }),
    });
    world.driver.release("work");
    const { status } = await world.until((claim) =>
      next ? claim.status?.conditions?.some(({ type }) => type === "ModifyVolumeError") : !claim.status?.modifyVolumeStatus,
    );
    world.releaseWatches();
    expect(status).toMatchObject({ allocatedResources: { storage: "1Gi" }, currentVolumeAttributesClassName: current });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Foo", message: "theirs" }));
    expect(world.tiers()).toEqual(["gold"]);
    expect((await warnings(world)).filter((event) => event.includes("modified"))).toEqual([]);
  });

  test("a class that is named in the moment of the mark is the one that is sent", async () => {
    await using world = await startModifyWorld();
    await world.addClaim(silverClaim());
    world.disturb({ ...{ ...claimStatus, how: "unseen", times: 1 }, meanwhile: () => world.nameClass("bronze") });
    await world.nameClass("gold");
    await world.until(({ status }) => status?.currentVolumeAttributesClassName === "bronze");
    world.releaseWatches();
    await world.untilModified("bronze");
    expect(world.tiers()).toEqual(["bronze"]);
  });
});

describe("while the driver works,", () => {
  test("the class is deleted: the volume has it all the same", async () => {
    await using world = await duringCall();
    await world.deleteClass("gold");
    world.driver.release("work");
    await world.untilModified("gold");
  });

  test("the claim is deleted and made anew under its name: the new one inherits nothing, the volume of the old one has its class", async () => {
    await using world = await duringCall();
    await world.removeClaim();
    const { metadata } = await world.admin.create(PersistentVolumeClaim, {
      metadata: { namespace: "default", name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeAttributesClassName: "bronze" },
    });
    world.driver.release("work");
    await world.untilVolume(({ spec }) => spec?.volumeAttributesClassName === "gold");
    await world.addClaim(silverClaim({ name: "witness" }));
    await world.nameClass("gold", "witness");
    await world.untilModified("gold", "witness");
    const anew = await world.claim();
    expect(anew.metadata?.uid).toBe(metadata?.uid ?? "");
    expect(anew.status?.modifyVolumeStatus ?? anew.status?.conditions ?? anew.status?.currentVolumeAttributesClassName).toBeUndefined();
    expect(await world.events()).not.toContainEqual(expect.stringContaining("VolumeModifySuccessful"));
  });

  test("the volume is deleted: the claim has the class, and no write is repeated for a volume that is gone", async () => {
    await using world = await duringCall();
    await world.cluster.removeUnderFinalizers(PersistentVolume, { name: "pv-data" });
    world.driver.release("work");
    const { status } = await world.until((claim) => claim.status?.currentVolumeAttributesClassName === "gold");
    expect(status?.modifyVolumeStatus).toBeUndefined();
    await world.stop();
    expect([world.tiers(), await warnings(world)]).toEqual([["gold"], []]);
  });

  test("the API server is cut off: one call", async () => {
    await using world = await duringCall(undefined, { ownServer: true });
    await world.cluster.stop("abrupt");
    world.driver.release("work");
    await world.untilTrue(() => world.driver.calls("ControllerModifyVolume")[0]?.outcome !== undefined);
    await world.cluster.start();
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold"]);
  });
});
