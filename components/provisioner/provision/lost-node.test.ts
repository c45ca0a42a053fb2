import { describe, expect, test } from "bun:test";
import { CSINode, mergePatch, Node, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { annotation, finalizer } from "../names.ts";
import { inDefault, placing } from "../testing/manifests.ts";
import { type Flags, type ProvisionerWorld, startWorld } from "../testing/provisioner-world.ts";

/*
 * Claims that are bound late and have no node any more, while the driver may be creating their volume: nobody but the driver can say
 * whether there is one.
 */

const zone = "topology.example.com/zone";

/** The flags that keep the volume from being lost with a process that is killed. */
const safeguards: readonly [string, Partial<Flags>][] = [
  ["--in-progress-finalizer", { inProgressFinalizer: true }],
  ["--cleanup-orphaned-volumes", { cleanupOrphanedVolumes: true }],
];

async function startLateWorld(flags: Partial<Flags>): Promise<ProvisionerWorld> {
  // A shared server remembers the claims of other tests of the driver.
  const name = `late-${crypto.randomUUID().slice(0, 8)}.example.com`;
  const world = await startWorld({ driver: { name, capabilities: placing }, flags: { timeout: 200, ...flags } });
  for (const node of ["a", "b"]) {
    await world.create(Node, { metadata: { name: node, labels: { [zone]: node } } });
    await world.create(CSINode, { metadata: { name: node }, spec: { drivers: [{ name, nodeID: node, topologyKeys: [zone] }] } });
  }
  await world.createClass("late", { provisioner: name, volumeBindingMode: "WaitForFirstConsumer" });
  return world;
}

/** The process is killed while the driver creates the volume of `data` for node a. */
async function killedDuringCall(flags: Partial<Flags>): Promise<ProvisionerWorld> {
  const world = await startLateWorld(flags);
  world.driver.always("CreateVolume", step.hangAfter);
  await lateClaim(world);
  await world.driver.called("CreateVolume");
  await world.kill();
  world.driver.always("CreateVolume", step.act);
  expect(world.driver.volumes.size).toBe(1);
  return world;
}

const lateClaim = (world: ProvisionerWorld) =>
  world.createClaim("data", { storageClassName: "late" }, { annotations: { [annotation.selectedNode]: "a" } });

const selectNode = (world: ProvisionerWorld, node: string | null) =>
  world.admin.patch(
    PersistentVolumeClaim,
    inDefault("data"),
    mergePatch({ metadata: { annotations: { [annotation.selectedNode]: node } } }),
  );

const givenBack = (world: ProvisionerWorld) =>
  world.until(PersistentVolumeClaim, inDefault("data"), ({ metadata }) => !metadata?.annotations?.[annotation.selectedNode]);

async function nothingLeft(world: ProvisionerWorld): Promise<void> {
  await world.untilGone(PersistentVolumeClaim, inDefault("data"));
  // kube-controller-manager may take a quarter of a minute to see that an unbound claim is gone.
  await world.untilTrue(async () => world.driver.volumes.size === 0 && (await world.volumes()).length === 0, 25_000);
}

describe.each(safeguards)("a process is killed during CreateVolume, and with %s no volume is left when", (_, flags) => {
  test("the claim loses its node and is deleted before the next process runs", async () => {
    await using world = await killedDuringCall(flags);
    await selectNode(world, null);
    await world.deleteClaim("data");
    await world.run();
    await nothingLeft(world);
  }, 40_000);

  test("the claim loses its node before, and is deleted after the next process has seen it", async () => {
    await using world = await killedDuringCall(flags);
    await selectNode(world, null);
    await world.run();
    await world.untilTrue(async () => /workqueue_work_duration_seconds_count\{name="claims"\} [1-9]/.test(await world.metrics()));
    await world.deleteClaim("data");
    await nothingLeft(world);
  }, 40_000);

  test("the node is gone, and the claim is deleted", async () => {
    await using world = await killedDuringCall(flags);
    await world.admin.delete(CSINode, { name: "a" });
    await world.admin.delete(Node, { name: "a" });
    await world.deleteClaim("data");
    await world.run();
    await nothingLeft(world);
  }, 40_000);

  test("the claim loses its node, and the scheduler selects another one: the claim gets the volume", async () => {
    await using world = await killedDuringCall(flags);
    await selectNode(world, null);
    await world.run();
    await selectNode(world, "b");
    await world.bound("data");
    expect(world.driver.volumes.size).toBe(1);
    await world.until(PersistentVolumeClaim, inDefault("data"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.inProgress));
  });
});

/**
 * Two nodes have no room. The second time, neither the answer to the claim's update nor the watch shows that the claim went back to the
 * scheduler: the driver is asked a third time, and its answer is lost. Returns how to let the watch continue.
 */
async function lostAfterTwoNodes(world: ProvisionerWorld): Promise<() => void> {
  const full = step.fail("ResourceExhausted", "full");
  world.driver.script("CreateVolume", full, step.waitFor("the watch is held", full), step.hangAfter);
  await lateClaim(world);
  await givenBack(world);
  await selectNode(world, "b");
  await world.driver.called("CreateVolume", 2);
  const release = world.holdWatch(PersistentVolumeClaim);
  world.disturb({ verb: "update", resource: PersistentVolumeClaim, how: "lost" });
  world.driver.release("the watch is held");
  await world.driver.called("CreateVolume", 3);
  await givenBack(world);
  return release;
}

describe("two nodes had no room, and the answer to a third call is lost", () => {
  test("a process that lives asks again, although the claim has no node any more and is deleted", async () => {
    await using world = await startLateWorld({});
    const release = await lostAfterTwoNodes(world);
    await world.deleteClaim("data");
    release();
    await nothingLeft(world);
    expect(world.state.sizes()).toMatchObject({ inProgress: 0, unsaved: 0 });
  }, 40_000);

  test("with --cleanup-orphaned-volumes, the next process asks again", async () => {
    await using world = await startLateWorld({ cleanupOrphanedVolumes: true });
    const release = await lostAfterTwoNodes(world);
    await world.kill();
    await world.deleteClaim("data");
    release();
    await world.run();
    await nothingLeft(world);
  }, 40_000);
});
