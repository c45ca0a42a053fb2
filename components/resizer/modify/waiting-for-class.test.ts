import { describe, expect, test } from "bun:test";
import { PersistentVolumeClaim } from "@csi-sidecars/kube";
import { expandingAlone } from "../testing/resizer-world.ts";
import { begun, silverClaim, startModifyWorld } from "./testing/modify-world.ts";

const missing = 'Warning VolumeModifyFailed: VAC "platinum" does not exist.';
const foreign = "VAC platinum referenced in PVC is for driver other.example.com which does not match driver name csi.example.com";

describe("a claim whose class is missing", () => {
  test("is pending, without a target that was never tried; the class that is created later is taken up at once", async () => {
    await using world = await startModifyWorld();
    await world.addClaim(silverClaim());
    await world.nameClass("platinum");
    await world.untilEvent(missing);
    const { status } = await world.claim();
    expect([status?.modifyVolumeStatus, status?.conditions]).toEqual([{ status: "Pending" }, undefined]);
    expect(world.tiers()).toEqual([]);
    expect(await world.writes()).toBe(1);
    expect(await world.metrics()).toContain('csi_sidecars_resizer_claims{operation="modify",state="pending"} 1');
    await world.createClass("platinum");
    await world.untilModified("platinum");
    expect(world.tiers()).toEqual(["platinum"]);
  });

  test("keeps the target that was tried before", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.addClaim(silverClaim({ spec: { volumeAttributesClassName: "platinum" }, status: begun("Infeasible", "gold") }));
    await world.run();
    const { status } = await world.until((claim) => claim.status?.modifyVolumeStatus?.status === "Pending");
    expect(status?.modifyVolumeStatus?.targetVolumeAttributesClassName).toBe("gold");
    expect(status?.conditions).toMatchObject([{ type: "ModifyingVolume", message: "begun" }]);
  });

  test("waits for it after a restart too", async () => {
    await using world = await startModifyWorld();
    await world.addClaim(silverClaim());
    await world.nameClass("platinum");
    await world.untilEvent(missing);
    await world.stop();
    await world.run();
    await world.createClass("platinum");
    await world.untilModified("platinum");
  });

  test("is not lost when the class is created while that is being written", async () => {
    await using world = await startModifyWorld();
    world.disturb({
      ...{ resource: PersistentVolumeClaim, subresource: "status", how: "unseen", times: 1 },
      meanwhile: () => world.createClass("platinum"),
    });
    await world.addClaim(silverClaim());
    await world.nameClass("platinum");
    await world.until((claim) => claim.status?.modifyVolumeStatus?.status === "Pending");
    world.releaseWatches();
    await world.untilModified("platinum");
    expect(world.tiers()).toEqual(["platinum"]);
  });

  test("may name an existing one right before it is written for another reason, while the watch is interrupted", async () => {
    await using world = await startModifyWorld({ driver: { capabilities: expandingAlone } });
    await world.addClaim(silverClaim());
    await world.nameClass("platinum");
    await world.untilEvent(missing);
    world.disturb({ resource: PersistentVolumeClaim, subresource: "status", how: "unseen", meanwhile: () => world.nameClass("gold") });
    await world.request("2Gi");
    await world.until(({ status }) => status?.capacity?.storage === "2Gi");
    world.releaseWatches("expired");
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold"]);
  });

  test("may name an existing one instead, or none", async () => {
    await using world = await startModifyWorld();
    await world.addClaim();
    await world.nameClass("platinum");
    await world.untilEvent(missing);
    await world.nameClass(null);
    await world.nameClass("gold");
    await world.untilModified("gold");
    await world.createClass("platinum");
    await world.addClaim({ name: "witness" });
    await world.nameClass("bronze", "witness");
    await world.untilModified("bronze", "witness");
    expect(world.tiers()).toEqual(["gold", "bronze"]);
  });
});

describe("a claim whose class is another driver's", () => {
  const theirs = ["platinum", { tier: "theirs" }, "other.example.com"] as const;
  const infeasible = { status: "Infeasible", targetVolumeAttributesClassName: "platinum" };

  test("is infeasible, without a call; one of its name that is this driver's is taken up", async () => {
    await using world = await startModifyWorld();
    await world.createClass(...theirs);
    await world.addClaim(silverClaim());
    await world.nameClass("platinum");
    await world.untilEvent(`Warning VolumeModifyFailed: ${foreign}`);
    const { status } = await world.claim();
    expect(status?.modifyVolumeStatus).toEqual(infeasible as never);
    expect(status?.conditions).toMatchObject([
      { type: "ModifyingVolume", status: "True", message: 'Modifying volume to "platinum" failed. Waiting for retry.' },
      { type: "ModifyVolumeError", status: "True", reason: "InvalidArgument", message: foreign },
    ]);
    expect(await world.writes()).toBe(1);
    await world.deleteClass("platinum");
    await world.createClass("platinum", { tier: "ours" });
    expect((await world.untilModified("platinum")).status?.conditions).toBeUndefined();
    expect(world.tiers()).toEqual(["ours"]);
  });

  test("may name one of this driver instead", async () => {
    await using world = await startModifyWorld();
    await world.createClass(...theirs);
    await world.addClaim();
    await world.nameClass("platinum");
    await world.until(({ status }) => status?.modifyVolumeStatus?.status === "Infeasible");
    await world.nameClass("gold");
    await world.untilModified("gold");
    expect(world.tiers()).toEqual(["gold"]);
  });

  test("that somebody has begun to apply gives way to the one that the claim names", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.createClass(...theirs);
    await world.addClaim(silverClaim({ spec: { volumeAttributesClassName: "gold" }, status: begun("InProgress", "platinum") }));
    await world.run();
    expect((await world.untilModified("gold")).status?.conditions).toBeUndefined();
    expect(world.tiers()).toEqual(["gold"]);
    await world.untilEvent(`Warning VolumeModifyFailed: ${foreign}`);
  });

  test("that somebody has begun to apply is given up when no class is named any more", async () => {
    await using world = await startModifyWorld({ stopped: true });
    await world.createClass(...theirs);
    await world.addClaim({ spec: { volumeAttributesClassName: "" }, status: begun("InProgress", "platinum") });
    await world.run();
    await world.untilEvent("Normal VolumeModifyCanceled: Cancelled modify.");
    const { status } = await world.claim();
    expect(status?.modifyVolumeStatus).toEqual(infeasible as never);
    expect(world.tiers()).toEqual([]);
  });

  test("is not written again after a restart, and is woken all the same", async () => {
    await using world = await startModifyWorld();
    await world.createClass(...theirs);
    await world.addClaim(silverClaim());
    await world.nameClass("platinum");
    await world.untilEvent(`Warning VolumeModifyFailed: ${foreign}`);
    await world.stop();
    const before = await world.writes();
    await world.run();
    await world.addClaim(silverClaim({ name: "witness" }));
    await world.nameClass("bronze", "witness");
    await world.untilModified("bronze", "witness");
    const ofWitness = 3;
    expect((await world.writes()) - before).toBe(ofWitness);
    await world.deleteClass("platinum");
    await world.createClass("platinum", { tier: "ours" });
    await world.untilModified("platinum");
    expect(world.tiers()).toEqual(["bronze", "ours"]);
  });
});

test("the class that the driver may be working on is gone: no other one takes its place, and it is taken up when it is there again", async () => {
  await using world = await startModifyWorld({ stopped: true });
  await world.addClaim(silverClaim({ spec: { volumeAttributesClassName: "gold" }, status: begun("InProgress", "platinum") }));
  await world.run();
  await world.untilEvent(missing);
  await world.addClaim(silverClaim({ name: "witness" }));
  await world.nameClass("bronze", "witness");
  await world.untilModified("bronze", "witness");
  expect((await world.claim()).status?.modifyVolumeStatus).toEqual({ status: "InProgress", targetVolumeAttributesClassName: "platinum" });
  await world.createClass("platinum");
  await world.untilModified("gold");
  expect(world.tiers()).toEqual(["bronze", "platinum", "gold"]);
});
