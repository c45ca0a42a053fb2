import { expect, test } from "bun:test";
import { Lease, mergePatch, type V1Lease } from "@csi-sidecars/kube";
import { consolidatedLease, leaseNamed, namespace } from "../e2e/testing/election.ts";
import { addAndAttach } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

const ref = { namespace, name: consolidatedLease };

function edit({ cluster }: Replicas, spec: Partial<V1Lease["spec"]>): Promise<V1Lease> {
  return cluster.admin.patch(Lease, ref, mergePatch({ spec }));
}

test("a lease whose duration is edited stays with its holder, which writes it as it should be", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await standby.process.logged("New leader detected");
  for (const [i, leaseDurationSeconds] of [1, 1_000_000].entries()) {
    await edit(world, { leaseDurationSeconds });
    await until("a renewal", async () => (await leaseNamed(world.cluster, consolidatedLease))?.spec?.leaseDurationSeconds === 3);
    await addAndAttach(world, `v${i}`, "node");
  }
  expect(await world.leader()).toBe(leader);
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([2, 0]);
});

test.each<[string, Partial<V1Lease["spec"]>]>([
  ["renewed in the past", { renewTime: "2001-01-01T00:00:00.000000Z" }],
  ["renewed in the future", { renewTime: "2101-01-01T00:00:00.000000Z" }],
  ["acquired again", { acquireTime: "2101-01-01T00:00:00.000000Z", leaseTransitions: 1_000 }],
])("a lease that somebody else %s under the leader's name: the leader stops, and one replica goes on", async (_, spec) => {
  await using world = await startReplicas();
  const { leader } = await world.elected();
  await addAndAttach(world, "before", "node");
  await edit(world, spec);
  await leader.process.logged("two processes run for the lease as");
  await leader.process.logged("Lost leadership");
  await addAndAttach(world, "after", "node");
  expect(world.driver.calls("ControllerPublishVolume")).toHaveLength(2);
  expect(world.driver.overlaps()).toEqual([]);
});

test("a lease that is deleted comes back with the same holder; no other replica acts in between", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await standby.process.logged("New leader detected");
  for (let i = 0; i < 3; i++) {
    await world.cluster.admin.delete(Lease, ref);
    await until("the lease", () => leaseNamed(world.cluster, consolidatedLease));
    await addAndAttach(world, `v${i}`, "node");
  }
  expect(await world.leader()).toBe(leader);
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([3, 0]);
});

test("when a stranger is written into the lease the leader stops, and one replica goes on when the stranger's time is over", async () => {
  await using world = await startReplicas();
  const { leader } = await world.elected();
  await addAndAttach(world, "before", "node");
  await edit(world, { holderIdentity: "stranger" });
  await leader.process.logged("Lost leadership");
  await addAndAttach(world, "after", "node");
  const calls = world.driver.calls("ControllerPublishVolume");
  expect(calls).toHaveLength(2);
  expect(calls[1]?.caller).toBe((await world.leader()).name);
});

test("when the lease is handed to a standby by hand the leader stops, and one replica goes on when the lease has expired", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await addAndAttach(world, "before", "node");
  await standby.process.logged("New leader detected");
  await edit(world, { holderIdentity: standby.name });
  await leader.process.logged("Lost leadership");
  await addAndAttach(world, "after", "node");
  // The standby did not write its name, so it waits as the former leader does: whoever saw the change first is next.
  const calls = world.driver.calls("ControllerPublishVolume");
  expect(calls.map(({ caller }) => caller)).toEqual([leader.name, (await world.leader()).name]);
  expect(world.driver.overlaps()).toEqual([]);
});
