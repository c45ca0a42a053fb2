import { expect, test } from "bun:test";
import { seededRandom } from "@csi-sidecars/base/testing";
import type { ScriptedDriver } from "@csi-sidecars/testcluster";
import { randomSeed } from "../random-seed.ts";
import { consolidatedLease, holderOf, quickElection } from "./testing/election.ts";
import { addNode, addVolume, attach, attachments, detach, inParallel } from "./testing/objects.ts";
import type { SidecarProcess } from "./testing/sidecar-process.ts";
import { until } from "./testing/until.ts";
import { startE2eWorld, type World } from "./testing/world.ts";

const volumes = 500;
const nodes = 5;
const kills = 20;
const batch = volumes / kills;

test("the leader is killed 20 times during 500 attaches and detaches while responses get lost: nothing is stuck or leaked, and only one replica acts at a time", async () => {
  const seed = randomSeed();
  const random = seededRandom(seed);
  await using world = await startE2eWorld({ driver: { faults: { seed, loseEvery: 7, delayMs: [1, 30] } } });
  const { cluster, driver } = world;
  const names = Array.from({ length: volumes }, (_, i) => `volume-${i}`);
  for (let i = 0; i < nodes; i++) await addNode(cluster, `node-${i}`, driver.settings.name);
  await inParallel(names, (name) => addVolume(world, name));

  const kubeconfig = await world.kubeconfig("attacher");
  const replicas = new Map(["replica-a", "replica-b"].map((name) => [name, startReplica(world, name, kubeconfig)]));
  for (let round = 0; round < kills; round++) {
    const leader = await until("a leader", () => leaderOf(world, replicas));
    const fresh = names.slice(round * batch, (round + 1) * batch);
    const old = names.slice((round - 2) * batch, Math.max(0, (round - 1) * batch));
    const before = driver.calls().length;
    await inParallel(fresh, (name) => attach(cluster, name, nodeOf(name), driver.settings.name));
    await inParallel(old, (name) => detach(cluster, name));
    const some = before + Math.ceil(random() * (fresh.length + old.length) * 0.8);
    await driver.until(`${some} calls`, () => driver.calls().length >= some, 30_000);
    await leader.end("SIGKILL");
    // Half of the time another replica takes over first; a restarted one finds its own lease and goes on at once.
    if (random() < 0.5) await until("another leader", () => leaderOf(world, replicas));
    replicas.set(leader.name, startReplica(world, leader.name, kubeconfig));
  }

  const kept = names.slice((kills - 2) * batch);
  await until("the last volumes attached, the others gone", async () => {
    const found = await attachments(cluster);
    return found.length === kept.length && found.every((va) => va.status?.attached);
  });
  const wrong = names.filter((name) => driver.publishedTo(`id-${name}`).join() !== (kept.includes(name) ? `id-${nodeOf(name)}` : ""));
  expect(wrong.map((name) => callsFor(driver, name))).toEqual([]);
  await inParallel(kept, (name) => detach(cluster, name));
  await until("all attachments gone", async () => (await attachments(cluster)).length === 0, 60_000);
  expect(names.flatMap((name) => driver.publishedTo(`id-${name}`))).toEqual([]);
  expect(driver.overlaps()).toEqual([]);
  for (const replica of replicas.values()) expect(await replica.end()).toBe(0);
}, 300_000);

function startReplica(world: World, name: string, kubeconfig: string): SidecarProcess {
  return world.start(name, [
    "--controllers=attacher",
    `--kubeconfig=${kubeconfig}`,
    ...quickElection,
    "--kube-api-qps=-1",
    "--timeout=2s",
    "--retry-interval-start=100ms",
    "--retry-interval-max=1s",
  ]);
}

/** The running replica that the lease names. */
async function leaderOf(world: World, replicas: ReadonlyMap<string, SidecarProcess>): Promise<SidecarProcess | undefined> {
  const holder = await holderOf(world.cluster, consolidatedLease);
  const leader = holder ? replicas.get(holder) : undefined;
  return leader?.running ? leader : undefined;
}

/** What the driver was asked about a volume, and how that ended. */
function callsFor(driver: ScriptedDriver, volume: string): readonly string[] {
  return driver
    .calls()
    .filter(({ request }) => "volumeId" in request && request.volumeId === `id-${volume}`)
    .map(({ method, startedAt, endedAt, clientGoneAt, outcome }) =>
      [volume, method, startedAt, endedAt, clientGoneAt, JSON.stringify(outcome)].join(" "),
    );
}

const nodeOf = (volume: string) => `node-${Number(volume.split("-")[1]) % nodes}`;
