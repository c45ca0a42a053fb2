import { expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { emptyMemory, forgetClaim, sourcesInUse } from "./memory.ts";
import { preparation } from "./testing/cached.ts";
import { inDefault } from "./testing/manifests.ts";
import { type ProvisionerWorld, startWorld } from "./testing/provisioner-world.ts";

/** What there is something of, and how much. */
const held = ({ memory }: ProvisionerWorld) =>
  Object.fromEntries(Object.entries(memory).flatMap(([name, { size }]: [string, { size: number }]) => (size > 0 ? [[name, size]] : [])));

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

test("what is forgotten with a claim: all but a call that may be running, and what that reads from", () => {
  const memory = emptyMemory();
  const source = { kind: "snapshot", ref: { namespace: "prod", name: "backup" } } as const;
  memory.inProgress.set("uid", preparation({ source }));
  memory.provisioned.set("uid", "pv");
  memory.infeasible.set("uid", { at: 1, classUid: "c" });
  forgetClaim(memory, "uid");
  expect([memory.inProgress.size, memory.provisioned.size, memory.infeasible.size]).toEqual([1, 0, 0]);
  expect([...sourcesInUse(memory, "snapshot")]).toEqual(["prod/backup"]);
  expect([...sourcesInUse(memory, "claim")]).toEqual([]);
  memory.asking.set("other", preparation({ source: { ...source, kind: "claim" } }));
  expect([...sourcesInUse(memory, "claim")]).toEqual(["prod/backup"]);
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
  world.disturb({ verb: "delete", resource: PersistentVolume, how: "refused" });
  world.driver.release("removed");
  await world.untilTrue(() => world.log.lines.some(({ error }) => String(error).includes("refused by the test")));
  await world.untilTrue(() => Bun.deepEquals(held(world), {}));
});
