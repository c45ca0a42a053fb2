import { systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { connectDriver, operationMetrics } from "@csi-sidecars/csi";
import {
  type Client,
  createClient,
  InformerFactory,
  isNotFound,
  type KubeObject,
  mergePatch,
  type Resource,
  type V1VolumeAttachment,
  VolumeAttachment,
  workQueueMetrics,
} from "@csi-sidecars/kube";
import {
  type Cluster,
  type DriverOptions,
  type LastStep,
  mortalCaller,
  mortalRequests,
  presets,
  type ScriptedDriver,
  startCluster,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { attacher } from "../component.ts";
import type { AttacherComponentContext } from "../flags.ts";
import { bindRole } from "./bind-role.ts";
import { type Disturbance, disturbedClient } from "./disturbed-client.ts";
import { driverName } from "./manifests.ts";

type Flags = AttacherComponentContext["flags"];

export interface WorldOptions {
  readonly driver?: DriverOptions;
  readonly flags?: Partial<Flags>;
  /** Gates that are off. */
  readonly gatesOff?: readonly string[];
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
  /** Without the optional rule about secrets. */
  readonly withoutSecrets?: boolean;
  /** When the component dies; one that is started after that does not. */
  readonly lastStep?: LastStep;
}

/** The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. */
export interface AttacherWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly metrics: Registry;
  readonly kube: ReturnType<typeof disturbedClient>;
  /** Starts the component; after a stop or a death, anew: it knows nothing of before. */
  run(): Promise<void>;
  /** Ends the component and waits for its work. */
  stop(): Promise<void>;
  readonly dead: boolean;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  /** Creates an attachment with a status. */
  createAttachment(object: V1VolumeAttachment, status?: object): Promise<void>;
  disturb(disturbance: Disturbance): void;
  until(what: (attachment: V1VolumeAttachment) => unknown, name?: string): Promise<V1VolumeAttachment>;
  untilTrue(what: () => unknown): Promise<void>;
  untilGone<T extends KubeObject>(resource: Resource<T>, name: string): Promise<void>;
  get<T extends KubeObject>(resource: Resource<T>, name: string): Promise<T>;
  /** The errors that attachments have had, in order, each as often as it was written. */
  errors(): string[];
  /** What the component wrote or read one by one, in order: `patch volumeattachments/status va`. */
  requests(): Promise<string[]>;
  /** Its requests that the server refused. */
  refused(): Promise<string[]>;
}

/** A driver that can publish and nothing beyond: no periodic comparison disturbs the call counts. */
export const publishing = {
  ...presets.minimal,
  controller: ["PUBLISH_UNPUBLISH_VOLUME", "PUBLISH_READONLY"],
} satisfies DriverOptions["capabilities"];

const defaults: Flags = {
  timeout: 15_000,
  workerThreads: 10,
  retryIntervalStart: 10,
  retryIntervalMax: 200,
  resync: 600_000,
  reconcileSync: 60_000,
  maxEntries: 0,
  detachUnclaimed: false,
  defaultFstype: "ext4",
  kubeApiQps: -1,
  kubeApiBurst: 0,
};

export async function startWorld(options: WorldOptions = {}): Promise<AttacherWorld> {
  const cluster = await startCluster();
  const user = cluster.newUser();
  await bindRole(cluster.admin, user.name, options.withoutSecrets ?? false);
  const driver = await startScriptedDriver({
    name: driverName,
    capabilities: publishing,
    volumes: ["handle1", "handle2"].map((id) => ({ id })),
    ...options.driver,
  });
  const log = recordingLogger();
  const metrics = new Registry();
  const operations = operationMetrics({ registry: metrics });
  const { name } = driver.settings;
  operations.setDriver(name, { migratable: name !== driverName });
  const transport = cluster.transport(user.token);
  const kube = disturbedClient(createClient({ transport, clock: systemClock, log, name: "attacher", qps: -1, burst: 0 }));
  const over = new AbortController();
  const seen: string[] = [];
  const history = followErrors(cluster.admin, seen, over.signal);
  let life: Life | undefined;

  const world: AttacherWorld = {
    ...{ cluster, driver, log, metrics, kube, admin: cluster.admin },
    async run() {
      const flags = { ...defaults, ...options.flags };
      life = await startLife({ driver, log, metrics, operations, kube, flags, options });
    },
    async stop() {
      await life?.stop();
    },
    get dead() {
      return life?.dead ?? true;
    },
    create: (resource, object) => cluster.admin.create(resource, object),
    async createAttachment(object, status) {
      await cluster.admin.create(VolumeAttachment, object);
      const ref = { name: object.metadata?.name ?? "" };
      if (status) await cluster.admin.patch(VolumeAttachment, ref, mergePatch({ status }), { subresource: "status" });
    },
    disturb: (disturbance) => void kube.disturbances.push(disturbance),
    async until(what, name = "va") {
      let last: V1VolumeAttachment | undefined;
      await poll(
        () => `${what} of ${JSON.stringify(last)}`,
        async () => {
          last = await cluster.admin.get(VolumeAttachment, { name });
          return what(last);
        },
      );
      return last as V1VolumeAttachment;
    },
    untilTrue: (what) =>
      poll(
        () => String(what),
        async () => what(),
      ),
    untilGone: (resource, name) =>
      poll(
        () => `the end of ${resource.kind} ${name}`,
        () => cluster.admin.get(resource, { name }).then(() => false, isNotFound),
      ),
    get: (resource, name) => cluster.admin.get(resource, { name }),
    errors: () => seen,
    async requests() {
      const all = await cluster.requests({ user: user.name });
      return all.filter(({ verb }) => verb !== "list" && verb !== "watch").map(shown);
    },
    async refused() {
      return (await cluster.requests({ user: user.name })).filter(({ code }) => code >= 400).map(shown);
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      kube.release();
      // Calls in flight end with it, also those that a failed test left waiting.
      await driver.kill();
      await world.stop();
      await history;
      await driver[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
  if (!options.stopped) await world.run();
  return world;
}

interface Life {
  readonly dead: boolean;
  stop(): Promise<void>;
}

interface LifeParts {
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly metrics: Registry;
  readonly operations: ReturnType<typeof operationMetrics>;
  readonly kube: Client;
  readonly flags: Flags;
  readonly options: WorldOptions;
}

/** One process, with its own connections and caches, from its start to its end. */
async function startLife({ driver, log, metrics, operations, kube: whole, flags, options }: LifeParts): Promise<Life> {
  const { lastStep } = options;
  const { name } = driver.settings;
  const end = new AbortController();
  const connection = await connectDriver({ address: driver.address, log, metrics: operations });
  let dead = false;
  const die = () => {
    dead = true;
    end.abort();
    connection.close();
  };
  const kube = lastStep ? mortalRequests(whole, lastStep, die, () => dead) : whole;
  const client = lastStep ? mortalCaller(connection.driver, lastStep, die) : connection.driver;
  const informers = new InformerFactory({ client: whole, clock: systemClock, log, freeze: true });
  informers.start(end.signal);
  const running = await attacher.start({
    ...{ flags, kube, informers, metrics, log, clock: systemClock, signal: end.signal, env: {}, alone: true },
    gates: { enabled: (gate) => !options.gatesOff?.includes(gate), explicit: () => false },
    driver: { address: driver.address, name, client, capabilities: connection.capabilities },
    volumeFinalizers: async () => [],
    kubeFor: () => kube,
    queueMetrics: workQueueMetrics(options.lastStep ? new Registry() : metrics),
    events: () => {
      throw new Error("the attacher emits no events");
    },
    health: () => {},
    routes: () => {},
    spelled: (flag) => flag,
  });
  return {
    get dead() {
      return dead;
    },
    async stop() {
      end.abort();
      await running.done;
      connection.close();
    },
  };
}

function shown({ verb, resource, subresource, name }: { verb: string; resource: string; subresource: string; name: string }): string {
  return `${verb} ${resource}${subresource && `/${subresource}`} ${name}`;
}

/** Notes every error that was new or gone in a state of an attachment. */
async function followErrors(admin: Client, errors: string[], signal: AbortSignal): Promise<void> {
  const last = new Map<string, string>();
  try {
    for await (const { type, object } of await admin.watch(VolumeAttachment, { resourceVersion: "0", signal })) {
      if (type !== "ADDED" && type !== "MODIFIED") continue;
      for (const [kind, error] of Object.entries({ attach: object.status?.attachError, detach: object.status?.detachError })) {
        const key = `${object.metadata?.uid}/${kind}`;
        const code = error?.errorCode === undefined ? "" : ` (${error.errorCode})`;
        const text = error ? `${kind}: ${error.message}${code}` : "";
        if (text !== (last.get(key) ?? "")) errors.push(text || `${kind}: none`);
        last.set(key, text);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const deadlineMs = 4_000;

async function poll(what: () => string, look: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what()}`);
    await Bun.sleep(3);
  }
}
