import { describe, expect, test } from "bun:test";
import { CSINode, Node, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { annotation, finalizer } from "../names.ts";
import { inDefault, placing } from "../testing/manifests.ts";
import { type Flags, type ProvisionerWorld, startWorld } from "../testing/provisioner-world.ts";
import { addNode, nodeGivenBack, selectNode } from "../testing/scenario.ts";

/*
 * Claims that are bound late and have no node any more, while the driver may be creating their volume: nobody but the driver can say
 * whether there is one.
 */

/** The flags that keep the volume from being lost with a process that is killed. */
const safeguards: readonly [string, Partial<Flags>][] = [
  ["--in-progress-finalizer", { inProgressFinalizer: true }],
  ["--cleanup-orphaned-volumes", { cleanupOrphanedVolumes: true }],
];

async function startLateWorld(flags: Partial<Flags>): Promise<ProvisionerWorld> {
  // A shared server remembers the claims of other tests of the driver.
  const name = `late-${crypto.randomUUID().slice(0, 8)}.example.com`;
  const world = await startWorld({ driver: { name, capabilities: placing }, flags: { timeout: 200, ...flags } });
  for (const node of ["a", "b"]) await addNode(world, node);
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
  world.createClaim("data", { storageClassName: "late" }, { annotations: { [annotation.selectedNode]: "node-a" } });

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
    await world.admin.delete(CSINode, { name: "node-a" });
    await world.admin.delete(Node, { name: "node-a" });
    await world.deleteClaim("data");
    await world.run();
    await nothingLeft(world);
  }, 40_000);

  test("the claim loses its node, and the scheduler selects another one: the claim gets the volume", async () => {
    await using world = await killedDuringCall(flags);
    await selectNode(world, null);
    await world.run();
    await selectNode(world, "node-b");
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
  await nodeGivenBack(world);
  await selectNode(world, "node-b");
  await world.driver.called("CreateVolume", 2);
  const release = world.holdWatch(PersistentVolumeClaim);
  world.disturb({ verb: "update", resource: PersistentVolumeClaim, how: "lost" });
  world.driver.release("the watch is held");
  await world.driver.called("CreateVolume", 3);
  await nodeGivenBack(world);
  return release;
}

test.each([1, 2, 3])(
  "as shipped, a claim that is deleted during call %d of three leaves no volume",
  async (during) => {
    await using world = await startLateWorld({});
    const full = step.fail("ResourceExhausted", "full");
    const steps = [full, full, step.lost].map((each, i) => (i + 1 === during ? step.waitFor("deleted", each) : each));
    world.driver.script("CreateVolume", ...steps);
    await lateClaim(world);
    for (let call = 1; call < during; call++) {
      await nodeGivenBack(world);
      await selectNode(world, "node-b");
    }
    await world.driver.called("CreateVolume", during);
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    world.driver.release("deleted");
    // After the third call there is a volume, which the fourth one finds.
    if (during === 3) await world.driver.called("DeleteVolume", 1, 25_000);
    await nothingLeft(world);
    await world.untilTrue(() => Object.values(world.state.sizes()).every((size) => size === 0));
  },
  40_000,
);

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

test("a node has no room, and is selected again while the watch is interrupted: the driver is asked again", async () => {
  await using world = await startLateWorld({});
  world.driver.script("CreateVolume", step.waitFor("the watch is held", step.fail("ResourceExhausted", "full")));
  await lateClaim(world);
  await world.driver.called("CreateVolume");
  const release = world.holdWatch(PersistentVolumeClaim);
  world.driver.release("the watch is held");
  await nodeGivenBack(world);
  await selectNode(world, "node-a");
  release("expired");
  await world.bound("data");
  expect(world.driver.calls("CreateVolume")).toHaveLength(2);
});
