import { expect, test } from "bun:test";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { seededRandom, until } from "@csi-sidecars/base/testing";
import {
  type Client,
  connect,
  createClient,
  done,
  fields,
  InformerFactory,
  isNotFound,
  itemExponential,
  type Key,
  type KubeObject,
  keyOf,
  loadConfig,
  mergePatch,
  RateLimitingQueue,
  resource,
  TransportError,
  userAgent,
  Workers,
} from "@csi-sidecars/kube";
import { type Cluster, type Relay, startCluster, startRelay } from "@csi-sidecars/testcluster";
import { randomSeed } from "../random-seed.ts";

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}
const ConfigMap = resource<ConfigMap>("v1", "configmaps", "ConfigMap", { namespaced: true });
const configMapFields = fields(ConfigMap, { data: true });

const objects = 10_000;
const rounds = 6;
const changesPerRound = 1_500;

test(
  "ten thousand objects change at random while watches are cut, the server restarts and history is compacted",
  async () => {
    const random = seededRandom(randomSeed());
    await using cluster = await startCluster({ own: true });
    await using relay = await startRelay(cluster.url);
    const watched = clientThrough(relay, cluster);

    await inParallel(range(objects), 64, (i) => create(cluster.admin, i, "0"));

    const stop = new AbortController();
    const informers = new InformerFactory({ client: watched, clock: systemClock, log: silentLogger, freeze: true });
    const view = informers.forFields(configMapFields, { namespace: "default" });
    const queue = new RateLimitingQueue<Key>({ limiter: itemExponential(5, 1_000), clock: systemClock });
    const seen = new Map<Key, string>();
    const busy = new Set<Key>();
    let twice = 0;
    const mirror = new Map<Key, string>();
    view.addHandler({
      onAdd(object) {
        mirror.set(keyOf(object), object.metadata.resourceVersion);
        queue.add(keyOf(object));
      },
      onUpdate(_, object) {
        mirror.set(keyOf(object), object.metadata.resourceVersion);
        queue.add(keyOf(object));
      },
      onDelete(object) {
        mirror.delete(keyOf(object));
        queue.add(keyOf(object));
      },
    });
    const workers = new Workers<Key>({
      queue,
      concurrency: 16,
      reconcile: async (key) => {
        if (busy.has(key)) twice++;
        busy.add(key);
        const object = view.get(key);
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (object) seen.set(key, object.metadata.resourceVersion);
        else seen.delete(key);
        busy.delete(key);
        return done;
      },
    });
    informers.start(stop.signal);
    const working = workers.run(stop.signal);
    await view.waitForSync();

    for (let round = 0; round < rounds; round++) {
      const disturbance = disturb(round, relay, cluster);
      await inParallel(range(changesPerRound), 32, () => changeSomething(cluster.admin, random));
      await disturbance;
    }

    const truth = await everything(cluster.admin);
    await until("the informer and its workers know the truth", () => same(mirror, truth) && same(seen, truth), 60_000);
    expect(new Map(view.list().map((object) => [keyOf(object), object.metadata.resourceVersion]))).toEqual(truth);
    expect(twice).toBe(0);
    stop.abort();
    await working;
  },
  { timeout: 240_000, retry: 0 },
);

/** Each round another kind of trouble, while changes go on. */
async function disturb(round: number, relay: Relay, cluster: Cluster): Promise<void> {
  switch (round % 3) {
    case 0:
      for (let i = 0; i < 5; i++) {
        relay.cut();
        await systemClock.sleep(100);
      }
      return;
    case 1:
      await relay.close();
      await systemClock.sleep(300);
      await cluster.compact();
      return relay.open();
    default:
      await cluster.stop("abrupt");
      await cluster.compact();
      return cluster.start();
  }
}

function clientThrough(relay: Relay, cluster: Cluster): Client {
  const kubeconfig = cluster.kubeconfig(cluster.adminToken).replace(cluster.url, relay.address);
  const config = loadConfig({ kubeconfig: "kubeconfig", env: {}, files: { read: () => kubeconfig } });
  const transport = connect(config, { userAgent: userAgent({ name: "torture", version: "v0" }) });
  return createClient({ transport, clock: systemClock, log: silentLogger, name: "torture", qps: -1, burst: 0 });
}

const nameOf = (i: number) => `object-${i}`;

async function create(client: Client, i: number, value: string): Promise<void> {
  await client.create(ConfigMap, { metadata: { name: nameOf(i), namespace: "default" }, data: { value } });
}

/** One random create, change or deletion; the server may be gone or the object not there, which is part of the game. */
async function changeSomething(client: Client, random: () => number): Promise<void> {
  const i = Math.floor(random() * objects);
  const ref = { name: nameOf(i), namespace: "default" };
  const dice = random();
  try {
    if (dice < 0.15) await client.delete(ConfigMap, ref);
    else if (dice < 0.3) await create(client, i, String(dice));
    else await client.patch(ConfigMap, ref, mergePatch({ data: { value: String(dice) } }));
  } catch (error) {
    if (error instanceof TransportError) await systemClock.sleep(20);
    else if (!isNotFound(error) && !String(error).includes("already exists")) throw error;
  }
}

async function everything(client: Client): Promise<Map<Key, string>> {
  const { items } = await client.list(ConfigMap, { namespace: "default" });
  return new Map(items.map((object) => [keyOf(object), object.metadata?.resourceVersion ?? ""]));
}

const range = (n: number) => Array.from({ length: n }, (_, i) => i);

async function inParallel(items: readonly number[], width: number, work: (item: number) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    range(width).map(async () => {
      for (const item of rest) await work(item);
    }),
  );
}

const same = (a: ReadonlyMap<Key, string>, b: ReadonlyMap<Key, string>) =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
