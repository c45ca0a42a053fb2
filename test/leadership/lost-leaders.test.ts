import { expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { addAndAttach, addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import type { Replica } from "./testing/replica.ts";
import { type Replicas, startReplicas } from "./testing/replicas.ts";

/** Work that whoever acts repeats until the driver is told to succeed. */
async function addUnfinishedWork(world: Replicas, ...volumes: string[]): Promise<void> {
  world.driver.always("ControllerPublishVolume", step.fail("Internal"));
  for (const volume of volumes) {
    await addVolume(world, volume);
    await attach(world.cluster, volume, "node", world.driver.settings.name);
  }
}

async function finishWork({ cluster, driver }: Replicas, ...volumes: string[]): Promise<void> {
  driver.always("ControllerPublishVolume", step.act);
  for (const volume of volumes) await attached(cluster, volume);
  expect(volumes.map((volume) => driver.publishedTo(`id-${volume}`))).toEqual(volumes.map(() => ["id-node"]));
}

test("of three replicas that start at once one leads, and the others do nothing", async () => {
  await using world = await startReplicas({ names: ["replica-a", "replica-b", "replica-c"], createLease: true });
  const leader = await world.leader();
  for (const volume of ["v1", "v2", "v3"]) await addAndAttach(world, volume, "node");
  for (const replica of world.replicas) {
    await replica.process.logged("New leader detected");
    expect(world.callsBy(replica)).toHaveLength(replica === leader ? 3 : 0);
    if (replica !== leader) expect(await world.writesBy(replica)).toBe(0);
  }
});

test("a leader that is killed is replaced, and its work finished", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await addAndAttach(world, "before", "node");
  world.driver.always("ControllerPublishVolume", step.hang);
  await addVolume(world, "during");
  await attach(world.cluster, "during", "node", world.driver.settings.name);
  await world.driver.called("ControllerPublishVolume", 2);
  await leader.process.end("SIGKILL");
  world.driver.always("ControllerPublishVolume", step.act);
  await attached(world.cluster, "during");
  expect(await world.leader()).toBe(standby);
  expect(world.callsBy(standby)).toHaveLength(1);
  expect(world.driver.overlaps()).toEqual([]);
});

/** Ways to keep a leader from renewing without its knowledge, and how to end them. */
const silences: readonly (readonly [string, (leader: Replica) => void | Promise<void>, (leader: Replica) => void | Promise<void>])[] = [
  ["is suspended", (leader) => leader.suspend(), (leader) => leader.resume()],
  ["cannot reach the API server because packets vanish", (leader) => leader.api.freeze(), (leader) => leader.api.thaw()],
  ["cannot reach the API server because connections are refused", (leader) => leader.api.close(), (leader) => leader.api.open()],
];

test.each(silences)("a leader that %s is replaced, and does nothing afterwards", async (_, silence, heal) => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await addAndAttach(world, "before", "node");
  await addUnfinishedWork(world, "v1", "v2");
  await until("the leader's attempts", () => world.callsBy(leader).length > 2);
  await silence(leader);
  expect(await world.leader(leader)).toBe(standby);
  await until("attempts of the new leader", () => world.callsBy(standby).length > 2);
  const first = world.callsBy(standby)[0]?.startedAt ?? 0;
  await heal(leader);
  await leader.process.logged("Lost leadership");
  await until("more attempts", () => world.callsBy(standby).length > 6);
  expect(world.callsBy(leader).filter(({ startedAt }) => startedAt > first)).toEqual([]);
  const writes = await world.writesBy(leader);
  await finishWork(world, "v1", "v2");
  expect(await world.writesBy(leader)).toBe(writes);
  expect(await world.leader()).toBe(standby);
  // It competes again.
  await standby.process.end("SIGKILL");
  await addAndAttach(world, "after", "node");
  expect(world.callsBy(leader).at(-1)?.request).toMatchObject({ volumeId: "id-after" });
});

test("a standby that cannot reach the API server takes nothing over, and nothing changes when it is back", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await standby.process.logged("New leader detected");
  standby.api.freeze();
  await addAndAttach(world, "v1", "node");
  await standby.process.logged("Failed to acquire or renew the lease");
  standby.api.thaw();
  await addAndAttach(world, "v2", "node");
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([2, 0]);
  expect(await world.leader()).toBe(leader);
});
