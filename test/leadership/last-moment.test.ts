import { expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { addVolume, attach, attached } from "../e2e/testing/objects.ts";
import { until } from "../e2e/testing/until.ts";
import { startReplicas } from "./testing/replicas.ts";

const volumes = Array.from({ length: 20 }, (_, i) => `v${i}`);

test("writes that wait for a connection when the lease is lost never arrive, also when the network is back", async () => {
  await using world = await startReplicas({ flags: ["--timeout=5m", "--attacher-worker-threads=20"] });
  const { cluster, driver } = world;
  const { leader, standby } = await world.elected();
  driver.always("ControllerPublishVolume", step.waitFor("answer"));
  for (const volume of volumes) {
    await addVolume(world, volume);
    await attach(cluster, volume, "node", driver.settings.name);
  }
  await driver.called("ControllerPublishVolume", volumes.length);
  const writes = await world.writesBy(leader);
  leader.api.freeze();
  driver.release("answer");
  for (const volume of volumes) await attached(cluster, volume);
  expect(await world.leader()).toBe(standby);
  leader.api.thaw();
  await until("a candidate again", () => leader.process.output.split("New leader detected").length > 2);
  expect(await world.writesBy(leader)).toBe(writes);
  expect(driver.overlaps()).toEqual([]);
});

test("calls that wait for the driver when the lease is lost are never made, also when the driver is back", async () => {
  await using world = await startReplicas({ flags: ["--timeout=5m"] });
  const { cluster, driver } = world;
  const { leader, standby } = await world.elected();
  driver.always("ControllerPublishVolume", step.hang);
  await addVolume(world, "v1");
  await attach(cluster, "v1", "node", driver.settings.name);
  await driver.called("ControllerPublishVolume");
  driver.always("ControllerPublishVolume", step.act);
  await leader.driver.close();
  await leader.process.logged("Lost connection");
  leader.api.freeze();
  await attached(cluster, "v1");
  await leader.driver.open();
  await leader.process.logged("The CSI driver is back");
  leader.api.thaw();
  await until("a candidate again", () => leader.process.output.split("New leader detected").length > 2);
  expect([world.callsBy(leader).length, world.callsBy(standby).length]).toEqual([1, 1]);
});
