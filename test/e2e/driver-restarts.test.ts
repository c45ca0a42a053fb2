import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import type { Capabilities } from "@csi-sidecars/testcluster";
import { randomSeed } from "../random-seed.ts";
import { leaseNamed, quickElection } from "./testing/election.ts";
import { addAndAttach, addNode, addVolume, attach, attached, attachments } from "./testing/objects.ts";
import { until } from "./testing/until.ts";
import { rolesFor, startE2eWorld, type World } from "./testing/world.ts";

const drivers = 4;
const restarts = 25;
const nodes = 3;

test("four drivers are killed 25 times each among attaches: the processes stay, keep their leases, and work again, mostly within 2 s", async () => {
  const seed = randomSeed();
  await using world = await startE2eWorld();
  const names = Array.from({ length: drivers }, (_, i) => `driver-${i}.example.com`);
  for (let i = 0; i < nodes; i++) await addNode(world.cluster, `node-${i}`, ...names);
  const restarting = names.map(async (name, i) => {
    const one = await world.beside({ name, faults: { seed: seed + i, delayMs: [1, 20] } });
    return restartDriver(one, `pod-${i}`, seededRandom(seed + i));
  });
  const pauses = (await Promise.all(restarting)).flat().sort((a, b) => a - b);
  console.log(
    `ms until the next call: median ${pauses.at(50)?.toFixed()}, p90 ${pauses.at(90)?.toFixed()}, worst ${pauses.at(-1)?.toFixed()}`,
  );
  expect(pauses.length).toBe(drivers * restarts);
  expect(pauses.at(90)).toBeLessThan(2_000);
}, 240_000);

/** How long it took from each return of the driver to its next useful call. */
async function restartDriver(world: World, pod: string, random: () => number): Promise<readonly number[]> {
  const { cluster, driver } = world;
  const { name: driverName } = driver.settings;
  const sidecar = world.start(pod, [
    "--controllers=attacher",
    `--kubeconfig=${await world.kubeconfig("attacher")}`,
    ...quickElection,
    "--kube-api-qps=-1",
  ]);
  await addAndAttach(world, `${pod}-first`, "node-0");
  const lease = `csi-sidecars-${driverName.replaceAll(".", "-")}`;
  const leading = await leaseNamed(cluster, lease);

  const pauses: number[] = [];
  const published: Record<string, string> = { [`${pod}-first`]: "node-0" };
  for (let round = 0; round < restarts; round++) {
    const node = `node-${round % nodes}`;
    const [early, late] = [`${pod}-early-${round}`, `${pod}-late-${round}`];
    for (const volume of [early, late]) {
      await addVolume(world, volume);
      published[volume] = node;
    }
    const calls = driver.calls("ControllerPublishVolume").length;
    await attach(cluster, early, node, driverName);
    // Either in the middle of a call, or before it comes.
    if (random() < 0.5) await driver.called("ControllerPublishVolume", calls + 1);
    await driver.kill();
    await attach(cluster, late, node, driverName);
    const before = driver.calls("ControllerPublishVolume").length;
    await driver.start();
    const back = performance.now();
    await driver.called("ControllerPublishVolume", before + 1);
    pauses.push(performance.now() - back);
  }

  const ours = async () => (await attachments(cluster)).filter(({ spec }) => spec.attacher === driverName);
  await until("everything attached", async () => (await ours()).every((va) => va.status?.attached));
  const volumes = Object.keys(published);
  expect((await ours()).map(({ metadata }) => metadata?.name).sort()).toEqual(volumes.map((name) => `va-${name}`).sort());
  expect(volumes.map((name) => driver.publishedTo(`id-${name}`))).toEqual(volumes.map((name) => [`id-${published[name]}`]));
  expect(driver.overlaps()).toEqual([]);
  const { acquireTime, holderIdentity, leaseTransitions } = leading?.spec ?? {};
  expect(holderIdentity).toBe(pod);
  expect((await leaseNamed(cluster, lease))?.spec).toMatchObject({ acquireTime, holderIdentity, leaseTransitions });
  expect(sidecar.running).toBe(true);
  expect(await sidecar.end()).toBe(0);
  return pauses;
}

test("with --loss-policy=exit a lost driver ends the process, as upstream's do, and work in progress is not lost", async () => {
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

/** How often the process began to watch a kind. */
const watches = async (world: World, user: string, resource: string) =>
  (await world.cluster.requests({ user, resource, verb: "watch" })).length;

test("a driver that was restarted or upgraded finds the same process: with the same caches, or with controllers that know the new one", async () => {
  await using world = await startE2eWorld();
  const { cluster, driver } = world;
  await addNode(cluster, "node", driver.settings.name);
  const account = await world.account(rolesFor("attacher,provisioner"));
  const sidecar = world.start("pod", [
    "--controllers=attacher,provisioner,livenessprobe",
    `--kubeconfig=${account.kubeconfig}`,
    "--http-endpoint=127.0.0.1:0",
  ]);
  await addAndAttach(world, "before", "node");
  const once = await watches(world, account.name, "volumeattachments");

  await driver.kill();
  await sidecar.logged("Lost connection");
  expect((await sidecar.get("/readyz?verbose"))[1]).toContain("[+]attacher ok (running; the CSI driver is away)");
  await addVolume(world, "meanwhile");
  await attach(cluster, "meanwhile", "node", driver.settings.name);
  await driver.start();
  await attached(cluster, "meanwhile");
  expect(sidecar.output).toContain('"The CSI driver is back"');
  expect(sidecar.output.match(/"Starting controllers"/g)).toHaveLength(2);
  expect(await watches(world, account.name, "volumeattachments")).toBe(once);
  expect((await sidecar.get("/metrics"))[1]).toContain('csi_sidecars_controller_restarts_total{controller="attacher"} 0');

  await driver.kill();
  driver.settings.capabilities = withoutPublishing(driver.settings.capabilities);
  await driver.start();
  await sidecar.logged('"The CSI driver is back with other capabilities, its controllers are restarted"');
  await until("the trivial handler", () => sidecar.output.includes('handler="trivial"'));
  const published = driver.calls("ControllerPublishVolume").length;
  await addVolume(world, "after");
  await attach(cluster, "after", "node", driver.settings.name);
  await attached(cluster, "after");
  expect(driver.calls("ControllerPublishVolume")).toHaveLength(published);
  expect(await sidecar.end()).toBe(0);
}, 60_000);

function withoutPublishing(capabilities: Capabilities): Capabilities {
  return { ...capabilities, controller: capabilities.controller.filter((name) => !/PUBLISH/.test(name)) };
}
