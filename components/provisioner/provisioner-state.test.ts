import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { InfeasibleBackoff } from "@csi-sidecars/controller";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { newKeptState, ProvisionerState } from "./provisioner-state.ts";
import { cachedClaim, emptyState, provisionRequest } from "./testing/cached.ts";
import { inDefault } from "./testing/manifests.ts";
import { type ProvisionerWorld, startWorld } from "./testing/provisioner-world.ts";

/** What there is something of, and how much. */
const nonEmpty = (sizes: Readonly<Record<string, number>>) => Object.fromEntries(Object.entries(sizes).filter(([, size]) => size > 0));
const held = ({ state }: ProvisionerWorld) => nonEmpty(state.sizes());

test("nothing is remembered of claims and volumes that are gone, however they ended", async () => {
  await using world = await startWorld({
    driver: { capabilities: { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "CLONE_VOLUME"] } },
    flags: { timeout: 200 },
  });
  await world.createClass();
  const gone = (name: string) => world.untilGone(PersistentVolumeClaim, inDefault(name));

  await world.createClaim("plain");
  await world.bound("plain");
  await world.createClaim("copy", { dataSource: { kind: "PersistentVolumeClaim", name: "plain" } });
  await world.bound("copy");
  for (const name of ["plain", "copy"]) await world.deleteClaim(name);

  world.driver.script("CreateVolume", step.fail("InvalidArgument", "never"));
  await world.createClaim("infeasible");
  await world.untilEvent("infeasible", "never");
  await world.deleteClaim("infeasible");

  // The claim goes while the driver works: what comes of the call is learned after the watch has told of its end.
  for (const [name, end] of [
    ["made", step.act],
    ["refused", step.fail("InvalidArgument", "no")],
    ["failed", step.fail("Internal", "no")],
  ] as const) {
    world.driver.script("CreateVolume", step.lostBefore, step.waitFor(name, end));
    const before = world.driver.calls("CreateVolume").length;
    await world.createClaim(name);
    await world.driver.called("CreateVolume", before + 2);
    await world.deleteClaim(name);
    await gone(name);
    world.driver.release(name);
  }
  await world.driver.called("DeleteVolume", 3, 25_000);
  await world.untilTrue(async () => (await world.volumes()).length === 0);
  await world.untilTrue(() => Bun.deepEquals(held(world), {}));
}, 40_000);

test("nothing is remembered of claims that never get a node", async () => {
  const capabilities = { ...presets.minimal, plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"] } as const;
  await using world = await startWorld({ driver: { capabilities }, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
  await world.createClass();
  await world.createClaim("data");
  await world.untilEvent("data", "no available topology found");
  expect(held(world)).toEqual({ nodeProblems: 1 });
  await world.deleteClaim("data");
  await world.untilTrue(() => Bun.deepEquals(held(world), {}));
});

describe("transitions", () => {
  const source = { kind: "snapshot", ref: { namespace: "prod", name: "backup" } } as const;
  const held = (state: ProvisionerState) => nonEmpty(state.sizes());

  test("a claim that is bound or gone: all is forgotten but a call that may be running, and what that reads from", () => {
    const state = emptyState();
    const request = provisionRequest({ source });
    const { uid } = request.claim.metadata;
    state.outcomeUncertain(request);
    state.volumeCreated(uid, "pv");
    state.requestInfeasible(uid, "class-uid");
    state.nodeProblemSeen(uid, "n", "no-csinode", 0);
    state.claimRescheduled(uid, "7");
    state.ownershipAttempted(uid, { tries: 1, due: 2 });
    state.claimFoundAtStart(uid);
    state.sourceReleased(uid);
    state.claimBoundOrGone(uid);
    expect(held(state)).toEqual({ inProgress: 1 });
    expect(state.requestInProgress(uid)).toBe(request);
    expect([...state.sourcesInUse("snapshot")]).toEqual(["prod/backup"]);
    expect([...state.sourcesInUse("claim")]).toEqual([]);
  });

  test.each([
    ["an older version: the watch is behind", "9", false, { rescheduled: 1 }],
    ["the version without a node", "10", false, {}],
    ["a later one: a node may have been selected in between", "11", true, {}],
  ])("a claim went back to the scheduler, and the watch shows %s", (_, resourceVersion, missed, left) => {
    const state = emptyState();
    const shown = cachedClaim({ metadata: { resourceVersion } });
    state.claimRescheduled(shown.metadata.uid, "10");
    expect(state.missedReschedule(shown)).toBe(missed);
    expect(held(state)).toEqual(left);
    expect(state.missedReschedule(shown)).toBe(false);
  });

  test("a source is in use while a call runs, and as long as its outcome is uncertain", () => {
    const state = emptyState();
    const request = provisionRequest({ source: { ...source, kind: "claim" } });
    const { uid } = request.claim.metadata;
    const inUse = () => [...state.sourcesInUse("claim")];
    state.callStarted(request);
    expect(inUse()).toEqual(["prod/backup"]);
    state.outcomeUncertain(request);
    state.callEnded(uid);
    expect(inUse()).toEqual(["prod/backup"]);
    state.outcomeCertain(uid);
    expect(inUse()).toEqual([]);
    expect(held(state)).toEqual({});
  });

  test("a new run of the component knows what is true of the driver, and nothing else", () => {
    const kept = newKeptState();
    const run = () => new ProvisionerState(kept, new InfeasibleBackoff(60_000, new FakeClock()));
    const first = run();
    const request = provisionRequest();
    const { uid } = request.claim.metadata;
    first.outcomeUncertain(request);
    first.saveFailed({ metadata: { name: "pv" } }, 0);
    first.requestInfeasible(uid, "class-uid");
    first.volumeDeletedAtDriver("volume-uid");
    first.orphanSuspected(request.claim, 3);
    const second = run();
    expect(held(second)).toEqual({ inProgress: 1, unsaved: 1 });
    expect([second.claimsInProgress, second.unsavedVolumes]).toEqual([[uid], ["pv"]]);
    second.outcomeCertain(uid);
    second.saveEnded("pv");
    expect(held(run())).toEqual({});
  });

  test("a volume solves the problem with the node, and is forgotten by its name", () => {
    const state = emptyState();
    state.nodeProblemSeen("uid", "n", "no-csinode", 0);
    state.volumeCreated("uid", "pv");
    expect(held(state)).toEqual({ provisioned: 1 });
    state.volumeGone("uid", "other");
    expect(state.provisionedVolume("uid")).toBe("pv");
    state.volumeGone("uid", "pv");
    expect(state.provisionedVolume("uid")).toBeUndefined();
  });

  test("a problem with a node lasts since it was first seen, until the node or the problem is another one", () => {
    const state = emptyState();
    expect(state.nodeProblemSeen("uid", "n", "node-gone", 5)).toBe(5);
    expect(state.nodeProblemSeen("uid", "n", "node-gone", 9)).toBe(5);
    expect(state.nodeProblemSeen("uid", "n", "not-registered", 10)).toBe(10);
    expect(state.nodeProblemSeen("uid", "m", "not-registered", 11)).toBe(11);
    state.nodeProblemSolved("uid");
    expect(state.nodeProblemSeen("uid", "m", "not-registered", 12)).toBe(12);
  });

  test("an infeasible request waits, unless its class is another one", () => {
    const clock = new FakeClock();
    const state = new ProvisionerState(newKeptState(), new InfeasibleBackoff(60_000, clock));
    state.requestInfeasible("uid", "class-uid");
    expect(state.infeasibleDelay("uid", "class-uid")).toBe(60_000);
    expect(state.infeasibleDelay("uid", undefined)).toBe(60_000);
    expect(state.infeasibleDelay("uid", "other-uid")).toBeUndefined();
    expect(held(state)).toEqual({});
  });

  test("a volume that the driver deleted, step by step", () => {
    const state = emptyState();
    expect(state.deletionProgress("uid")).toBeUndefined();
    state.volumeDeletedAtDriver("uid");
    expect(state.deletionProgress("uid")).toBe("object");
    state.volumeFinalizerRemoved("uid");
    expect(state.deletionProgress("uid")).toBe("none");
    state.persistentVolumeGone("uid");
    expect(held(state)).toEqual({});
  });

  test("a claim that was found at the start may have an earlier call until the driver answers", () => {
    const state = emptyState();
    state.claimFoundAtStart("uid");
    expect(state.mayHaveEarlierCall("uid")).toBe(true);
    state.driverAnswered("uid");
    expect(state.mayHaveEarlierCall("uid")).toBe(false);
  });
});

test("a volume whose object others removed in the middle leaves nothing behind", async () => {
  await using world = await startWorld();
  await world.createClass();
  await world.createClaim("data");
  const { volume } = await world.bound("data");
  const ref = { name: volume.metadata?.name ?? "" };
  world.driver.script("DeleteVolume", step.waitFor("removed"));
  await world.deleteClaim("data");
  await world.driver.called("DeleteVolume");
  await world.admin.delete(PersistentVolume, ref);
  await world.admin.patch(PersistentVolume, ref, { type: "merge", body: { metadata: { finalizers: null } } });
  await world.untilGone(PersistentVolume, ref);
  world.disturb({ verb: "delete", resource: PersistentVolume, how: "failed" });
  world.driver.release("removed");
  await world.untilTrue(() => world.log.lines.some(({ error }) => String(error).includes("refused by the test")));
  await world.untilTrue(() => Bun.deepEquals(held(world), {}));
});
