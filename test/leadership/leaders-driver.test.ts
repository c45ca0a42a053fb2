import { expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { addAndAttach, addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { startReplicas } from "./testing/replicas.ts";

test("a driver that restarts finds the same leader, which repeats the call that was lost", async () => {
  await using world = await startReplicas();
  const { cluster, driver } = world;
  const { leader, standby } = await world.elected();
  driver.script("ControllerPublishVolume", step.hang);
  await addVolume(world, "during");
  await attach(cluster, "during", "node", driver.settings.name);
  await driver.called("ControllerPublishVolume");
  await driver.kill();
  await leader.process.logged("Lost connection");
  await driver.start();
  await attached(cluster, "during");
  expect(await world.leader()).toBe(leader);
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([2, 0]);
  expect(driver.overlaps()).toEqual([]);
});

test("a leader that loses its driver for a moment keeps the lease; the standby, whose driver answers, does nothing", async () => {
  await using world = await startReplicas();
  const { leader, standby } = await world.elected();
  await addAndAttach(world, "before", "node");
  await leader.driver.close();
  await leader.process.logged("Lost connection");
  await addVolume(world, "during");
  await attach(world.cluster, "during", "node", world.driver.settings.name);
  await leader.driver.open();
  await attached(world.cluster, "during");
  expect(await world.leader()).toBe(leader);
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([2, 0]);
});

test("when a leader with a call in flight loses the API server the call is cancelled before the next leader repeats it", async () => {
  await using world = await startReplicas({ flags: ["--timeout=60s"] });
  const { cluster, driver } = world;
  const { leader, standby } = await world.elected();
  driver.script("ControllerPublishVolume", step.hang);
  await addVolume(world, "v");
  await attach(cluster, "v", "node", driver.settings.name);
  await driver.called("ControllerPublishVolume");
  leader.api.freeze();
  await attached(cluster, "v");
  const [lost, repeated] = driver.calls("ControllerPublishVolume");
  expect([lost?.caller, repeated?.caller]).toEqual([leader.name, standby.name]);
  expect(lost?.clientGoneAt).toBeLessThan(repeated?.startedAt ?? 0);
  expect(driver.overlaps()).toEqual([]);
});
