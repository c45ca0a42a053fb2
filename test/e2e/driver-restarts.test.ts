import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import { consolidatedLease, leaseNamed, quickElection } from "./election.ts";
import { addAndAttach, addNode, addVolume, attach, attached, attachments } from "./objects.ts";
import { until } from "./until.ts";
import { startE2eWorld } from "./world.ts";

const restarts = 100;
const nodes = 3;

test("the driver is killed 100 times among attaches: the process stays, keeps the lease, and works again within 2 s", async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  console.log(`seed ${seed}`);
  const random = seededRandom(seed);
  await using world = await startE2eWorld({ driver: { faults: { seed, delayMs: [1, 20] } } });
  const { cluster, driver } = world;
  const { name: driverName } = driver.settings;
  for (let i = 0; i < nodes; i++) await addNode(cluster, `node-${i}`, driverName);
  const sidecar = world.start("pod", [
    "--controllers=attacher",
    `--kubeconfig=${await world.kubeconfig("attacher")}`,
    ...quickElection,
    "--loss-policy=restart",
    "--kube-api-qps=-1",
  ]);
  await addAndAttach(world, "first", "node-0");
  const leading = await leaseNamed(cluster, consolidatedLease);

  const published: Record<string, string> = { first: "node-0" };
  for (let round = 0; round < restarts; round++) {
    const node = `node-${round % nodes}`;
    const [early, late] = [`early-${round}`, `late-${round}`];
    for (const volume of [early, late]) {
      await addVolume(world, volume);
      published[volume] = node;
    }
    const calls = driver.calls("ControllerPublishVolume").length;
    await attach(cluster, early, node, driverName);
    // Either in the middle of a call, or before it comes.
    if (random() < 0.5) await driver.called("ControllerPublishVolume", calls + 1, 2_000);
    await driver.kill();
    await attach(cluster, late, node, driverName);
    const before = driver.calls("ControllerPublishVolume").length;
    await driver.start();
    await driver.called("ControllerPublishVolume", before + 1, 2_000);
  }

  await until("everything attached", async () => (await attachments(cluster)).every((va) => va.status?.attached));
  const volumes = Object.keys(published);
  expect((await attachments(cluster)).map(({ metadata }) => metadata?.name).sort()).toEqual(volumes.map((name) => `va-${name}`).sort());
  expect(volumes.map((name) => driver.publishedTo(`id-${name}`))).toEqual(volumes.map((name) => [`id-${published[name]}`]));
  expect(driver.overlaps()).toEqual([]);
  const { acquireTime, holderIdentity, leaseTransitions } = leading?.spec ?? {};
  expect(holderIdentity).toBe("pod");
  expect((await leaseNamed(cluster, consolidatedLease))?.spec).toMatchObject({ acquireTime, holderIdentity, leaseTransitions });
  expect(sidecar.running).toBe(true);
  expect(await sidecar.end()).toBe(0);
}, 240_000);

test("without livenessprobe a lost driver ends the process, as upstream's do, and work in progress is not lost", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  await addNode(cluster, "node", driver.settings.name);
  const args = ["--controllers=attacher", `--kubeconfig=${await world.kubeconfig("attacher")}`, "--loss-policy=exit"];
  const sidecar = world.start("pod", args);
  await addAndAttach(world, "a", "node");
  await addVolume(world, "b");
  driver.always("ControllerPublishVolume", { kind: "hang", effect: true });
  await attach(cluster, "b", "node", driver.settings.name);
  await driver.called("ControllerPublishVolume", 2);
  await driver.kill();
  expect(await sidecar.exit()).toBe(1);
  expect(sidecar.output).toContain("Lost connection to CSI driver, exiting");

  driver.always("ControllerPublishVolume", { kind: "act" });
  await driver.start();
  world.start("pod", args);
  await attached(cluster, "b");
  expect(driver.publishedTo("id-b")).toEqual(["id-node"]);
}, 60_000);
