import { expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { consolidatedLease, leaseNamed } from "../e2e/testing/election.ts";
import { addAndAttach, addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

/** A call of the leader that lasts until `driver.release("slow")`. */
async function startSlowCall(world: Replicas, volume: string): Promise<void> {
  const { cluster, driver } = world;
  const before = driver.calls("ControllerPublishVolume").length;
  driver.script("ControllerPublishVolume", step.waitFor("slow"));
  await addVolume(world, volume);
  await attach(cluster, volume, "node", driver.settings.name);
  await driver.called("ControllerPublishVolume", before + 1);
}

test("a leader that is asked to end finishes its call, releases the lease and is replaced at once", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await addAndAttach(world, "before", "node");
  await startSlowCall(world, "slow");
  leader.process.signal("SIGTERM");
  await addVolume(world, "next");
  await attach(world.cluster, "next", "node", world.driver.settings.name);
  await leader.process.logged("Received a signal, shutting down");
  expect((await leaseNamed(world.cluster, consolidatedLease))?.spec?.holderIdentity).toBe(leader.name);
  expect(world.callsBy(standby)).toEqual([]);
  world.driver.release("slow");
  expect(await leader.process.exit()).toBe(0);
  await attached(world.cluster, "next");
  await attached(world.cluster, "slow");
  const slow = world.callsBy(leader)[1];
  expect([slow?.outcome?.kind, slow?.clientGoneAt]).toEqual(["answered", undefined]);
  expect(world.callsBy(leader)).toHaveLength(2);
  // The lease was given away: nobody had to wait until it expired.
  expect(standby.process.output).toContain("Successfully acquired lease");
  expect((await leaseNamed(world.cluster, consolidatedLease))?.spec).toMatchObject({ holderIdentity: standby.name, leaseTransitions: 2 });
});

test("a second SIGTERM ends a leader at once; its lease expires, and the call is repeated", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await startSlowCall(world, "slow");
  leader.process.signal("SIGTERM");
  await leader.process.logged("Received a signal, shutting down");
  leader.process.signal("SIGTERM");
  expect(await leader.process.exit()).not.toBe(0);
  await attached(world.cluster, "slow");
  expect(await world.leader()).toBe(standby);
  expect(world.callsBy(standby)).toHaveLength(1);
  world.driver.release("slow");
});

test("a replica that is asked to end while it waits for the lease ends at once and takes nothing", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await standby.process.logged("New leader detected");
  expect(await standby.process.end("SIGTERM")).toBe(0);
  await addAndAttach(world, "v", "node");
  expect(await world.leader()).toBe(leader);
  expect(world.callsBy(standby)).toEqual([]);
});

test("replicas that are asked to end one after the other hand the lease on, and the last one leaves it free", async () => {
  await using world = await startReplicas({ names: ["replica-a", "replica-b", "replica-c"] });
  for (let left = 3; left > 0; left--) {
    const leader = await world.leader();
    await addAndAttach(world, `v${left}`, "node");
    expect(world.callsBy(leader)).toHaveLength(1);
    leader.process.signal("SIGTERM");
    expect(await leader.process.exit()).toBe(0);
  }
  const { holderIdentity = "", leaseTransitions } = (await leaseNamed(world.cluster, consolidatedLease))?.spec ?? {};
  expect([holderIdentity, leaseTransitions]).toEqual(["", 3]);
});

test("a replica that is asked to end in the moment of taking over releases the lease, and the third takes it", async () => {
  await using world = await startReplicas({ names: ["replica-a", "replica-b", "replica-c"] });
  const first = await world.leader();
  await first.process.end("SIGKILL");
  const second = await world.leader(first);
  expect(await second.process.end("SIGTERM")).toBe(0);
  await addAndAttach(world, "v", "node");
  const third = await world.leader();
  expect([first, second]).not.toContain(third);
  expect(world.callsBy(third)).toHaveLength(1);
  expect(world.callsBy(second)).toEqual([]);
});
