import { systemClock } from "@csi-sidecars/base";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import type { PolicyRule } from "@csi-sidecars/host";
import {
  type Client,
  createClient,
  Event,
  isNotFound,
  type KubeObject,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  type RateLimit,
  type Resource,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1StorageClass,
} from "@csi-sidecars/kube";
import {
  type Cluster,
  type DriverOptions,
  grantRole,
  type ScriptedDriver,
  startCluster,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { provisioner } from "../component.ts";
import { newProcessState, type ProvisionerState } from "../provisioner-state.ts";
import { emptyState } from "./cached.ts";
import { installKind, nudge } from "./cluster-set-up.ts";
import { claim, customKinds, driverName, inDefault, storageClass } from "./manifests.ts";
import type { Disturbance } from "./mortal-client.ts";
import { type Flags, type ProvisionerRun, type RunOptions, startRun, testFlags } from "./provisioner-run.ts";
import { secretsRule, upstreamRole } from "./upstream-role.ts";

export interface WorldOptions extends RunOptions {
  readonly driver?: DriverOptions;
  readonly flags?: Partial<Flags>;
  readonly customKinds?: keyof typeof customKinds | readonly (keyof typeof customKinds)[];
  /** Whether the binder and its companions run; yes unless told. */
  readonly controllers?: boolean;
  /** What the component's user may do; upstream's published role unless told. */
  readonly role?: readonly PolicyRule[] | "shipped";
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
}

/** The component with a driver and an API server, all over real sockets; its user may do what a role says and no more. */
export interface ProvisionerWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  metrics(): Promise<string>;
  /** What the running component knows beside its caches. */
  readonly state: ProvisionerState;
  /** Starts the component; after a stop or a death, anew: it knows nothing of before. */
  run(): Promise<void>;
  /** Ends the component and starts it anew in the same process, as when the driver was lost or the component failed. */
  restart(): Promise<void>;
  /** Ends the component and waits for its work. */
  stop(): Promise<void>;
  /** Ends it as on SIGKILL: nothing it still does reaches anybody. */
  kill(): Promise<void>;
  readonly dead: boolean;
  /** What goes wrong with the component's requests. */
  disturb(...disturbances: Disturbance[]): void;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  createClass(name?: string, members?: Partial<V1StorageClass>): Promise<V1StorageClass>;
  createClaim(
    name: string,
    spec?: Partial<NonNullable<V1PersistentVolumeClaim["spec"]>>,
    metadata?: V1PersistentVolumeClaim["metadata"],
  ): Promise<V1PersistentVolumeClaim>;
  deleteClaim(name: string): Promise<void>;
  bound(name: string): Promise<{ readonly claim: V1PersistentVolumeClaim; readonly volume: V1PersistentVolume }>;
  until<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, is: (object: T) => unknown): Promise<T>;
  untilTrue(what: () => unknown, ms?: number): Promise<void>;
  untilGone<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<void>;
  volumes(): Promise<V1PersistentVolume[]>;
  /** `reason: message` of the events about an object, oldest first, with how often. */
  events(about: string): Promise<string[]>;
  untilEvent(about: string, text: string): Promise<void>;
  /** What the component asked of the API server one by one, without events: `create persistentvolumes`. */
  requests(): Promise<string[]>;
  /** Its requests that the server refused. */
  refused(): Promise<string[]>;
}

export async function startWorld(options: WorldOptions = {}): Promise<ProvisionerWorld> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster({ storageControllers: options.controllers ?? true, nodes: false }));
  const { admin } = cluster;
  for (const name of [options.customKinds ?? []].flat()) for (const kind of customKinds[name]) await installKind(admin, kind);
  const flags = { ...testFlags, ...options.flags };
  const user = cluster.newUser();
  await grantRole(
    admin,
    user.name,
    options.role === "shipped" ? provisioner.rbac(flags).cluster : (options.role ?? [...upstreamRole, secretsRule]),
  );
  const driver = opened.use(await startScriptedDriver({ name: driverName, capabilities: "minimal", ...options.driver }));
  const log = recordingLogger();
  const transport = cluster.transport(user.token);
  const client = (name: string, limit: RateLimit = { qps: -1, burst: 0 }) =>
    createClient({ ...limit, transport, clock: systemClock, log, name });
  const disturbances: Disturbance[] = [];
  let run: ProvisionerRun | undefined;
  let kept = newProcessState();

  const world: ProvisionerWorld = {
    ...{ cluster, driver, log, admin },
    metrics: async () => (await run?.metrics.metrics()) ?? "",
    get state() {
      return run?.state ?? emptyState();
    },
    async run() {
      kept = newProcessState();
      run = await startRun({ ...options, driver, log, client, disturbances, flags, kept });
    },
    async restart() {
      await run?.stop();
      run = await startRun({ ...options, driver, log, client, disturbances, flags, kept });
    },
    async stop() {
      await run?.stop();
    },
    async kill() {
      run?.kube.kill();
      await run?.stop();
    },
    get dead() {
      return run?.kube.dead ?? true;
    },
    disturb: (...more) => void disturbances.push(...more),
    create: (resource, object) => admin.create(resource, object),
    createClass: (name = "fast", members = {}) => admin.create(StorageClass, storageClass(name, members)),
    async createClaim(name, spec, metadata) {
      const made = await admin.create(PersistentVolumeClaim, claim(name, spec, metadata));
      if (cluster.flavour === "real" && (options.controllers ?? true)) await nudge(admin, made);
      return made;
    },
    deleteClaim: (name) => admin.delete(PersistentVolumeClaim, inDefault(name)),
    async bound(name) {
      const found = await world.until(PersistentVolumeClaim, inDefault(name), ({ status }) => status?.phase === "Bound");
      const volume = await admin.get(PersistentVolume, { name: found.spec?.volumeName ?? "" });
      return { claim: found, volume };
    },
    async until(resource, ref, is) {
      let last: unknown;
      const errors = () => log.lines.filter(({ severity }) => severity === "error").map(({ message, error }) => `${message} ${error}`);
      const look = async () => {
        const object = await admin.get(resource, ref).catch(() => undefined);
        last = object;
        return object && is(object) ? object : undefined;
      };
      return until(() => `${resource.kind} ${ref.name} ${is}: ${JSON.stringify(last)}; ${errors()}`, look);
    },
    untilTrue: async (what, ms) => {
      await until(String(what), async () => Boolean(await what()), ms);
    },
    async untilGone(resource, ref) {
      const isGone = () => admin.get(resource, ref).then(() => false, isNotFound);
      await until(`the end of ${resource.kind} ${ref.name}`, isGone);
    },
    volumes: async () => (await admin.list(PersistentVolume)).items,
    async events(about) {
      const { items } = await admin.list(Event);
      return items.filter(({ involvedObject }) => involvedObject.name === about).map(({ reason, message }) => `${reason}: ${message}`);
    },
    untilEvent: async (about, text) =>
      void (await until(`event ${text} about ${about}`, async () => (await world.events(about)).find((event) => event.includes(text)))),
    async requests() {
      const all = await cluster.requests({ user: user.name });
      const single = all.filter(({ verb, resource }) => verb !== "list" && verb !== "watch" && resource !== "events" && resource !== "");
      return single.map(({ verb, resource }) => `${verb} ${resource}`);
    },
    async refused() {
      const all = await cluster.requests({ user: user.name });
      return all.filter(({ code }) => code >= 400).map(({ verb, resource, name, code }) => `${code} ${verb} ${resource} ${name}`);
    },
    async [Symbol.asyncDispose]() {
      run?.kube.kill();
      await driver.kill();
      await run?.stop();
      await disposing.disposeAsync();
    },
  };
  if (!options.stopped) await world.run();
  const disposing = opened.move();
  return world;
}
