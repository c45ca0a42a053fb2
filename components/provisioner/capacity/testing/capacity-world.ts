import { type Clock, systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { advanceUntil, FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { alwaysAvailable, connectDriver, type DriverConnection, VolumeLists } from "@csi-sidecars/csi";
import {
  type Client,
  CSIStorageCapacity,
  createClient,
  InformerFactory,
  mergePatch,
  type RateLimit,
  type V1CSIStorageCapacity,
  workQueueMetrics,
} from "@csi-sidecars/kube";
import {
  type Answer,
  type Cluster,
  type Request,
  type ScriptedDriver,
  startCluster,
  startScriptedDriver,
  step,
} from "@csi-sidecars/testcluster";
import { clusterTopologies } from "../../topology/cluster-topologies.ts";
import { csiNodeFields, nodeFields, singleNode } from "../../topology/node-topologies.ts";
import type { Labels } from "../../topology/term.ts";
import { CapacityPublisher } from "../capacity-publisher.ts";
import { bindCapacityRole } from "./capacity-role.ts";
import { driverName, namespace } from "./manifests.ts";

const pollMs = 3_600_000;

export type Room = (request: Request<"GetCapacity">) => Answer<"GetCapacity">;

interface InstanceOptions {
  readonly podName: string;
  readonly ownerLevel: number;
  readonly threads: number;
  readonly pollIntervalMs: number;
  readonly immediateBinding: boolean;
  /** In a node deployment. */
  readonly nodeName?: string;
}

export interface StartOptions extends Partial<InstanceOptions> {
  /** In a node deployment: this node's place. */
  readonly place?: Labels;
  /** As its flags say; none unless told. */
  readonly limit?: RateLimit;
  /** Between the instance and the API server. */
  readonly disturb?: (client: Client) => Client;
}

/** One running instance with caches and metrics of its own, as after a restart of the process. */
export interface Instance {
  readonly capacity: CapacityPublisher;
  readonly metrics: Registry;
  stop(): Promise<void>;
  /** The three gauges: desired, existing and obsolete objects. */
  counts(): Promise<{ readonly goal: number; readonly current: number; readonly obsolete: number }>;
}

/** Capacity over an API server and a driver, all on real sockets, with the rights that upstream's role gives. Its time is driven by hand. */
export interface CapacityWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly driver: ScriptedDriver;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof recordingLogger>;
  /** What the driver says. */
  room: Room;
  start(options?: StartOptions): Promise<Instance>;
  /** All objects of the namespace as text: `fast zone=zone1 1Gi`, with `max 1Mi` where there is a maximum. */
  objects(): Promise<string[]>;
  get(text: string): Promise<V1CSIStorageCapacity>;
  /** Waits for exactly these objects; small steps of time go by. */
  untilObjects(...texts: readonly string[]): Promise<void>;
  until(what: () => unknown): Promise<void>;
  /** Lets the poll interval pass and waits for so many calls of the driver; then once more, so that all writes of the first have been made. */
  pollTwice(pairs: number): Promise<void>;
  edit(text: string, patch: object): Promise<void>;
  /** How many requests the instances have made, watches aside. */
  requestCount(): Promise<number>;
  /** What the instances asked of the server, watches, lists and discovery aside: `create`, `patch`, `delete`. */
  writes(): Promise<string[]>;
  /** Those of them that the server carried out. */
  acceptedWrites(): Promise<string[]>;
  refused(): Promise<string[]>;
}

const steps = { stepMs: 100, limitMs: 10_000 };
const isWrite = ({ verb }: { readonly verb: string }) => !["get", "list"].includes(verb);

const defaults = {
  podName: "",
  ownerLevel: -1,
  threads: 1,
  pollIntervalMs: pollMs,
  immediateBinding: false,
};

export async function startWorld(): Promise<CapacityWorld> {
  const cluster = await startCluster();
  const { admin } = cluster;
  const user = cluster.newUser();
  await bindCapacityRole(admin, user.name);
  const driver = await startScriptedDriver({ name: driverName, capabilities: "full" });
  const clock = new FakeClock();
  const log = recordingLogger();
  const connection = await connectDriver({ address: driver.address });
  const transport = cluster.transport(user.token);
  const instances = new Set<Instance>();
  const list = async () => (await admin.list(CSIStorageCapacity, { namespace })).items;
  const all = async () => (await cluster.requests({ user: user.name })).filter(({ resource, watch }) => !watch && resource !== "");

  const world: CapacityWorld = {
    ...{ cluster, admin, driver, clock, log },
    room: () => ({ availableCapacity: 2n ** 30n }),
    async start({ place, limit, disturb = (client: Client) => client, ...options } = {}) {
      const client = createClient({ transport, clock: systemClock, log, name: "informers", qps: -1, burst: 0 });
      const own = limit ? createClient({ ...limit, transport, clock, log, name: "capacity" }) : client;
      const instance = await startInstance(
        { kube: disturb(own), informerClient: client, connection, clock, log },
        { ...defaults, ...options },
        place,
      );
      const stop = async () => {
        instances.delete(started);
        await instance.stop();
      };
      const started: Instance = { ...instance, stop };
      instances.add(started);
      return started;
    },
    objects: async () => (await list()).map(show).sort(),
    async get(text) {
      const found = (await list()).filter((object) => show(object) === text);
      if (found.length !== 1) throw new Error(`${found.length} objects are ${text}`);
      return found[0]!;
    },
    untilObjects: (...texts) => {
      let last: string[] = [];
      const isThere = async () => {
        last = await world.objects();
        return JSON.stringify(last) === JSON.stringify([...texts].sort());
      };
      return advanceUntil(clock, () => `${JSON.stringify(texts)}, not ${JSON.stringify(last)}`, isThere, steps);
    },
    until: (what) => advanceUntil(clock, String(what), what, steps),
    async pollTwice(pairs) {
      for (let round = 0; round < 2; round++) {
        const before = driver.calls("GetCapacity").length;
        await clock.advance(pollMs);
        await world.until(() => driver.calls("GetCapacity").filter(({ outcome }) => outcome).length >= before + pairs);
      }
    },
    async edit(text, patch) {
      await admin.patch(CSIStorageCapacity, { namespace, name: (await world.get(text)).metadata?.name ?? "" }, mergePatch(patch));
    },
    requestCount: async () => (await cluster.requests({ user: user.name })).filter(({ watch }) => !watch).length,
    async writes() {
      return (await all()).filter(isWrite).map(({ verb }) => verb);
    },
    async acceptedWrites() {
      return (await all()).filter((request) => isWrite(request) && request.code < 400).map(({ verb }) => verb);
    },
    async refused() {
      return (await all()).filter(({ code }) => code >= 400).map(({ verb, resource, code }) => `${verb} ${resource} ${code}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...instances].map((instance) => instance.stop()));
      connection.close();
      await driver[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
  driver.always(
    "GetCapacity",
    step.reply((request: Request<"GetCapacity">) => world.room(request)),
  );
  return world;
}

interface Parts {
  readonly kube: Client;
  readonly informerClient: Client;
  readonly connection: DriverConnection;
  readonly clock: Clock;
  readonly log: ReturnType<typeof recordingLogger>;
}

async function startInstance(parts: Parts, options: InstanceOptions, place: Labels | undefined): Promise<Instance> {
  const { kube, informerClient, connection, clock, log } = parts;
  const end = new AbortController();
  const informers = new InformerFactory({ client: informerClient, clock: systemClock, log, freeze: true });
  informers.start(end.signal);
  const metrics = new Registry();
  const topologies =
    place && options.nodeName
      ? singleNode(options.nodeName, place)
      : clusterTopologies(driverName, informers.forFields(csiNodeFields), informers.forFields(nodeFields));
  const { address, capabilities } = connection;
  const driver = {
    address,
    name: driverName,
    client: connection.driver,
    capabilities,
    availability: alwaysAvailable,
    volumeLists: new VolumeLists(alwaysAvailable),
  };
  const context = {
    ...{ driver, informers, metrics, queueMetrics: workQueueMetrics(metrics), log, clock, signal: end.signal },
    flagName: (flag: string) => flag,
    kubeFor: () => kube,
    env: { NAMESPACE: namespace, POD_NAME: options.podName },
    flags: {
      timeout: 10_000,
      retryIntervalStart: 1_000,
      retryIntervalMax: 300_000,
      capacityThreads: options.threads,
      capacityPollInterval: options.pollIntervalMs,
      capacityForImmediateBinding: options.immediateBinding,
      capacityOwnerrefLevel: options.ownerLevel,
      kubeApiCapacityQps: -1,
      kubeApiCapacityBurst: 0,
    },
  };
  const value = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value ?? -1;
  try {
    const capacity = new CapacityPublisher(context, { topologies, nodeName: options.nodeName });
    const running = await capacity.start();
    return {
      capacity,
      metrics,
      async stop() {
        end.abort();
        await running.done;
      },
      counts: async () => ({
        goal: await value("csistoragecapacities_desired_goal"),
        current: await value("csistoragecapacities_desired_current"),
        obsolete: await value("csistoragecapacities_obsolete"),
      }),
    };
  } catch (error) {
    end.abort();
    throw error;
  }
}

function show({ storageClassName, nodeTopology, capacity, maximumVolumeSize }: V1CSIStorageCapacity): string {
  const place = Object.entries(nodeTopology?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    storageClassName,
    place.sort().join(",") || "everywhere",
    capacity,
    ...(maximumVolumeSize === undefined ? [] : ["max", maximumVolumeSize]),
  ].join(" ");
}
