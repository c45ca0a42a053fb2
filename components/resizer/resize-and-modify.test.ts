import { describe, expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { silverClaim, startModifyWorld } from "./modify/testing/modify-world.ts";
import { expandingAlone } from "./testing/resizer-world.ts";

/* Expanding and modifying the volume of one claim at the same time. */

describe("a claim that grows and names another class in one write", () => {
  test("gets both with one call each, made side by side", async () => {
    const script = { ControllerExpandVolume: [step.waitFor("both")], ControllerModifyVolume: [step.waitFor("both")] };
    await using world = await startModifyWorld({ driver: { capabilities: expandingAlone, script } });
    await world.addClaim(silverClaim());
    await world.patchClaim({ spec: { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" } });
    // Some drivers make one operation of calls that arrive together: neither waits for the other.
    await Promise.all([world.driver.called("ControllerExpandVolume"), world.driver.called("ControllerModifyVolume")]);
    const { status: during } = await world.claim();
    expect(during?.conditions?.map(({ type }) => type).toSorted()).toEqual(["ModifyingVolume", "Resizing"]);
    world.driver.release("both");
    await world.untilModified("gold");
    const { status } = await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    expect([status?.conditions, status?.modifyVolumeStatus, status?.allocatedResourceStatuses]).toEqual([undefined, undefined, undefined]);
    expect((await world.volume()).spec).toMatchObject({ capacity: { storage: "2Gi" }, volumeAttributesClassName: "gold" });
    await world.untilEvent("VolumeResizeSuccessful");
    await world.untilEvent("VolumeModifySuccessful");
    expect((await world.events()).filter((event) => event.startsWith("Warning"))).toEqual([]);
    expect([world.driver.calls("ControllerExpandVolume").length, world.tiers()]).toEqual([1, ["gold"]]);
    // The two do not get into each other's way: no write is refused, and none has to read the claim first.
    expect(await world.refused()).toEqual([]);
  });

  test("keeps the condition of the one that fails when the other one succeeds", async () => {
    const script = { ControllerExpandVolume: [step.fail("OutOfRange", "too big")] };
    await using world = await startModifyWorld({ driver: { capabilities: expandingAlone, script }, flags: { retryIntervalMax: 60_000 } });
    await world.addClaim(silverClaim());
    await world.patchClaim({ spec: { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" } });
    await world.untilModified("gold");
    const { status } = await world.until((claim) => claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible");
    expect(status?.conditions?.map(({ type }) => type).toSorted()).toEqual(["ControllerResizeError", "Resizing"]);
    expect([world.driver.calls("ControllerExpandVolume").length, world.tiers()]).toEqual([1, ["gold"]]);
  });

  test("keeps the error of modifying when it is expanded", async () => {
    const script = { ControllerModifyVolume: [step.fail("InvalidArgument", "no")] };
    await using world = await startModifyWorld({ driver: { capabilities: expandingAlone, script }, flags: { retryIntervalMax: 60_000 } });
    await world.addClaim(silverClaim());
    await world.patchClaim({ spec: { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" } });
    await world.until((claim) => claim.status?.capacity?.storage === "2Gi");
    const { status } = await world.until((claim) => claim.status?.modifyVolumeStatus?.status === "Infeasible");
    expect(status?.capacity?.storage).toBe("2Gi");
    expect(status?.conditions?.map(({ type }) => type).toSorted()).toEqual(["ModifyVolumeError", "ModifyingVolume"]);
    expect([world.driver.calls("ControllerExpandVolume").length, world.tiers()]).toEqual([1, ["gold"]]);
  });
});

test("twenty claims at once whose calls fail again and again: each gets both, with no call or write too many", async () => {
  const failures = 100;
  const script = {
    ControllerExpandVolume: Array.from({ length: failures }, () => step.fail("Internal", "no")),
    ControllerModifyVolume: Array.from({ length: failures }, () => step.fail("Internal", "no")),
  };
  await using world = await startModifyWorld({ driver: { capabilities: expandingAlone, script } });
  const names = Array.from({ length: 20 }, (_, i) => `data-${i}`);
  for (const name of names) await world.addClaim(silverClaim({ name }));
  const change = { spec: { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" } };
  await Promise.all(names.map((name) => world.patchClaim(change, name)));
  for (const name of names) {
    await world.untilModified("gold", name);
    await world.until((claim) => claim.status?.capacity?.storage === "2Gi" && !claim.status.conditions, name);
  }
  const calls = failures + names.length;
  expect([world.driver.calls("ControllerExpandVolume").length, world.tiers().length]).toEqual([calls, calls]);
  expect(await world.refused()).toEqual([]);
});

test("twenty claims at once: one call of each kind for each, no warning", async () => {
  await using world = await startModifyWorld({ driver: { capabilities: expandingAlone } });
  const names = Array.from({ length: 20 }, (_, i) => `data-${i}`);
  for (const name of names) await world.addClaim(silverClaim({ name }));
  const change = { spec: { resources: { requests: { storage: "2Gi" } }, volumeAttributesClassName: "gold" } };
  await Promise.all(names.map((name) => world.patchClaim(change, name)));
  for (const name of names) {
    await world.untilModified("gold", name);
    await world.until((claim) => claim.status?.capacity?.storage === "2Gi" && !claim.status.conditions, name);
  }
  expect([world.driver.calls("ControllerExpandVolume").length, world.tiers().length]).toEqual([20, 20]);
});
