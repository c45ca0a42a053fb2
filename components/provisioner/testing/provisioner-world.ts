import type { Clock } from "@csi-sidecars/base";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import type { PolicyRule } from "@csi-sidecars/host";
import {
  type Client,
  Event,
  isNotFound,
  type KubeObject,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  type Resource,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1StorageClass,
} from "@csi-sidecars/kube";
import {
  type Cluster,
  type ComponentRun,
  type CrashPoint,
  type DriverOptions,
  grantRole,
  type ScriptedDriver,
  startCluster,
  startComponent,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { provisioner } from "../component.ts";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { ProvisionerState } from "../provisioner-state.ts";
import { provisionerState, startProvisioner } from "../start.ts";
import { emptyState } from "./cached.ts";
import { installKind, nudge } from "./cluster-set-up.ts";
import { type Disturbance, disturbedClient } from "./disturbed-client.ts";
import { HeldWatches, type Release } from "./held-watch.ts";
import { claim, customKinds, driverName, inDefault, storageClass } from "./manifests.ts";
import { secretsRule, upstreamRole } from "./upstream-role.ts";

export type Flags = ProvisionerComponentContext["flags"];

export interface WorldOptions {
  readonly driver?: DriverOptions;
  readonly flags?: Partial<Flags>;
  /** Beside the default ones. */
  readonly gatesOn?: readonly string[];
  readonly gatesOff?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The component's own; real time unless told. */
  readonly clock?: Clock;
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  readonly customKinds?: keyof typeof customKinds | readonly (keyof typeof customKinds)[];
  /** Whether the binder and its companions run; yes unless told. */
  readonly controllers?: boolean;
  /** What the component's user may do; upstream's published role unless told. */
  readonly role?: readonly PolicyRule[] | "shipped";
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
}

/** The initial values of all flags, with times that suit tests. */
const testFlags: Flags = {
  ...(Object.fromEntries(
    Object.entries(provisioner.flags).map(([name, { initial }]) => [
      name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase()),
      initial,
    ]),
  ) as Flags),
  timeout: 2_000,
  retryIntervalStart: 10,
  retryIntervalMax: 200,
  snapshotOrphanSweepInterval: 0,
  kubeApiQps: -1,
};

/** The component with a driver and an API server, all over real sockets; its user may do what a role says and no more. */
export interface ProvisionerWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  metrics(): Promise<string>;
  /** What the running component knows beside its caches. */
  readonly state: ProvisionerState;
  /** Starts the component in a new process, which knows nothing of an earlier one. */
  run(): Promise<void>;
  /** Loses the driver, so that the component is restarted in the same process. */
  restart(): Promise<void>;
  /** Ends the component and waits for its work. */
  stop(): Promise<void>;
  /** Ends it as on SIGKILL: nothing it still does reaches anybody. */
  kill(): Promise<void>;
  readonly dead: boolean;
  /** What goes wrong with the component's requests. */
  disturb(...disturbances: Disturbance[]): void;
  /** Keeps the events of a kind from the component's caches, until the function that it returns is called. */
  holdWatch(resource: Pick<Resource, "plural">): Release;
  /** What the search for deleted claims reads from the API server's history, which can be held. */
  readonly histories: Pick<HeldWatches, "hold" | "reached">;
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
  const disturbances: Disturbance[] = [];
  const watches = new HeldWatches();
  const histories = new HeldWatches();
  const gates = [
    ...(options.gatesOn ?? []).map((gate) => [gate, true] as const),
    ...(options.gatesOff ?? []).map((gate) => [gate, false] as const),
  ];
  let run: ComponentRun | undefined;
  let state = emptyState();
  const observed: typeof provisioner = {
    ...provisioner,
    // A test's short limit is for the calls it is about; a busy machine must not fail the start.
    identityTimeoutMs: () => 10_000,
    async start(context) {
      const { capabilities } = context.driver;
      await capabilities.plugin({ timeoutMs: 10_000 });
      await capabilities.controller({ timeoutMs: 10_000 }).catch(() => undefined);
      state = provisionerState(context);
      return startProvisioner(context, state);
    },
  };

  const world: ProvisionerWorld = {
    ...{ cluster, driver, log, admin, histories },
    metrics: async () => (await run?.metrics()) ?? "",
    get state() {
      return state;
    },
    async run() {
      run = await startComponent(observed, {
        ...{ cluster, driver, user, log, env: options.env ?? {} },
        flags: { ...flags, ...(gates.length > 0 && { featureGates: new Map(gates) }) },
        ...(options.clock && { componentClock: options.clock }),
        ...(options.crashPoint && { crashPoint: options.crashPoint }),
        wrapClient(client, { name, kill }) {
          if (name === "informers") return watches.client(client);
          return name === provisioner.name ? histories.client(disturbedClient(client, disturbances, kill)) : client;
        },
      });
    },
    async restart() {
      await run?.restart();
    },
    async stop() {
      await run?.stop();
    },
    async kill() {
      await run?.kill();
    },
    get dead() {
      return run?.dead ?? true;
    },
    disturb: (...more) => void disturbances.push(...more),
    holdWatch: (resource) => watches.hold(resource),
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
      const ended = run?.[Symbol.asyncDispose]();
      await driver.kill();
      await ended;
      await disposing.disposeAsync();
    },
  };
  if (!options.stopped) await world.run();
  const disposing = opened.move();
  return world;
}
