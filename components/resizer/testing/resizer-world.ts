import type { Clock } from "@csi-sidecars/base";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import type { PolicyRule } from "@csi-sidecars/host";
import {
  type Client,
  Event,
  ignoreNotFound,
  type KubeObject,
  mergePatch,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  type Resource,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import {
  ClientDisturbances,
  type Cluster,
  type ComponentRun,
  type CrashPoint,
  type Disturbance,
  type DriverOptions,
  grantRole,
  presets,
  type ScriptedDriver,
  startCluster,
  startComponent,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { resizer } from "../component.ts";
import type { ResizerComponentContext } from "../flags.ts";
import { resizerRules } from "../rbac.ts";
import { type BoundClaim, claimOf, className, driverName, handleOf, inDefault, statusOf, volumeNameOf, volumeOf } from "./objects.ts";

export interface WorldOptions {
  readonly flags?: Partial<ResizerComponentContext["flags"]>;
  /** Gates that are off. */
  readonly gatesOff?: readonly string[];
  /** The component's own; real time unless told. */
  readonly clock?: Clock;
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  readonly driver?: DriverOptions;
  /** What the component's user may do; the shipped role unless told. */
  readonly role?: readonly PolicyRule[];
  /** A server of the test's own, to be stopped. */
  readonly ownServer?: boolean;
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
}

/** The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. */
export interface ResizerWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  /** Starts the component; after a stop or a crash, as a new process that knows nothing of before. */
  run(): Promise<void>;
  /** Stops the component and waits for its work. */
  stop(): Promise<void>;
  /** Ends it as SIGKILL does. */
  kill(): Promise<void>;
  readonly dead: boolean;
  /** What a scrape of its metrics gets. */
  metrics(): Promise<string>;
  /** Creates a bound claim and its volume, in the cluster and in the driver. */
  addClaim(parts?: BoundClaim): Promise<V1PersistentVolumeClaim>;
  /** Creates the volume of a claim that has this uid. */
  addVolume(parts: BoundClaim, uid: string): Promise<void>;
  /** Deletes a claim at once, whatever finalizers it has. Its volume stays. */
  removeClaim(name?: string): Promise<void>;
  /** Patches a claim as its user does. */
  patchClaim(patch: object, name?: string): Promise<void>;
  /** Patches the status of a claim as kubelet or the binder do. */
  patchStatus(status: object, name?: string): Promise<void>;
  /** Requests another size. */
  request(size: string, name?: string): Promise<void>;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  disturb(disturbance: Disturbance): void;
  /** Holds back the watch events of the component. */
  holdWatches(): void;
  releaseWatches(): void;
  claim(name?: string): Promise<V1PersistentVolumeClaim>;
  volume(claim?: string): Promise<V1PersistentVolume>;
  until(what: (claim: V1PersistentVolumeClaim) => unknown, name?: string): Promise<V1PersistentVolumeClaim>;
  untilVolume(what: (volume: V1PersistentVolume) => unknown, claim?: string): Promise<V1PersistentVolume>;
  untilTrue(what: () => unknown): Promise<void>;
  /** `Normal Resizing: message` of the events about a claim, oldest first, each once however often it was told. */
  events(name?: string): Promise<string[]>;
  untilEvent(text: string, name?: string): Promise<string>;
  /** The sizes that the driver was asked for, in bytes, for the volume of a claim. */
  asked(claim?: string): readonly bigint[];
  /** Expands another claim: what was due before it has been done then. */
  witness(): Promise<void>;
  /** What the component wrote or read one by one, without events, in order: `patch persistentvolumeclaims/status data`. */
  requests(): Promise<string[]>;
  /** Lets the component's user do more. */
  grant(role: readonly PolicyRule[]): Promise<void>;
  /** Its requests that the server refused. */
  refused(): Promise<string[]>;
}

/** A driver that expands volumes, with the node, and modifies them. */
export const expanding = {
  ...presets.minimal,
  expansion: ["ONLINE"],
  controller: ["CREATE_DELETE_VOLUME", "EXPAND_VOLUME", "MODIFY_VOLUME"],
  node: ["EXPAND_VOLUME"],
} satisfies DriverOptions["capabilities"];

/** The same without the node: an expansion is complete when the controller has answered. */
export const expandingAlone = { ...expanding, node: [] } satisfies DriverOptions["capabilities"];

const fastFlags = { timeout: 2_000, retryIntervalStart: 10, retryIntervalMax: 200, kubeApiQps: -1, kubeApiBurst: 0 };

export async function startWorld(options: WorldOptions = {}): Promise<ResizerWorld> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startCluster({ own: options.ownServer ?? false }));
  const { admin } = cluster;
  const user = cluster.newUser();
  await grantRole(admin, user.name, options.role ?? resizerRules({ handleVolumeInuseError: true, ...options.flags }).cluster);
  await admin.create(StorageClass, { metadata: { name: className }, provisioner: driverName, allowVolumeExpansion: true });
  const driver = opened.use(await startScriptedDriver({ name: driverName, capabilities: expanding, ...options.driver }));
  const log = recordingLogger();
  const disturbances = new ClientDisturbances();
  const gates = options.gatesOff?.map((gate) => [gate, false] as const);
  const flags = { ...fastFlags, ...options.flags, ...(gates && { featureGates: new Map(gates) }) };
  let run: ComponentRun | undefined;

  const get = <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef) => ignoreNotFound(admin.get(resource, ref));
  const untilObject = async <T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, what: (object: T) => unknown) => {
    let last: T | undefined;
    const errors = () => log.lines.filter(({ severity }) => severity === "error").map(({ message, error }) => `${message}: ${error}`);
    const look = async () => {
      last = await get(resource, ref);
      return last && what(last) ? last : undefined;
    };
    return until(() => `${what} of ${JSON.stringify(last)}; errors: ${errors()}`, look);
  };

  const world: ResizerWorld = {
    ...{ cluster, driver, log, admin },
    async run() {
      run = await startComponent(resizer, {
        ...{ cluster, driver, user, flags, log, wrapClient: disturbances.wrap },
        ...(options.crashPoint && { crashPoint: options.crashPoint }),
        ...(options.clock && { componentClock: options.clock }),
      });
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
    metrics: async () => (await run?.metrics()) ?? "",
    async addClaim(parts = {}) {
      const { name = "data" } = parts;
      if (!driver.volumes.has(handleOf(name))) driver.addVolume({ id: handleOf(name) });
      const made = await admin.create(PersistentVolumeClaim, claimOf(parts));
      const { uid = "" } = made.metadata ?? {};
      if (!(await get(PersistentVolume, { name: volumeNameOf(name) }))) await world.addVolume(parts, uid);
      return admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: statusOf(parts) }), { subresource: "status" });
    },
    async addVolume(parts, uid) {
      await admin.create(PersistentVolume, volumeOf(parts, uid));
    },
    removeClaim: (name = "data") => cluster.removeUnderFinalizers(PersistentVolumeClaim, inDefault(name)),
    async patchClaim(patch, name = "data") {
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch(patch));
    },
    async patchStatus(status, name = "data") {
      await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status }), { subresource: "status" });
    },
    request: (storage, name) => world.patchClaim({ spec: { resources: { requests: { storage } } } }, name),
    create: (resource, object) => admin.create(resource, object),
    disturb: (disturbance) => disturbances.add(disturbance),
    holdWatches: disturbances.holdWatches,
    releaseWatches: disturbances.releaseWatches,
    claim: (name = "data") => admin.get(PersistentVolumeClaim, inDefault(name)),
    volume: (claim = "data") => admin.get(PersistentVolume, { name: volumeNameOf(claim) }),
    until: (what, name = "data") => untilObject(PersistentVolumeClaim, inDefault(name), what),
    untilVolume: (what, claim = "data") => untilObject(PersistentVolume, { name: volumeNameOf(claim) }, what),
    async untilTrue(what) {
      await until(String(what), async () => Boolean(await what()));
    },
    async events(name = "data") {
      const { items } = await admin.list(Event);
      const about = items.filter(({ involvedObject }) => involvedObject.name === name);
      return about.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    },
    async untilEvent(text, name = "data") {
      let seen: string[] = [];
      const look = async () => {
        seen = await world.events(name);
        return seen.find((event) => event.includes(text));
      };
      return until(() => `event ${text} about ${name}, seen: ${seen.join("\n")}`, look);
    },
    asked(claim = "data") {
      const calls = driver.calls("ControllerExpandVolume").filter(({ request }) => request.volumeId === handleOf(claim));
      return calls.map(({ request }) => request.capacityRange?.requiredBytes ?? 0n);
    },
    async witness() {
      await world.addClaim({ name: "witness", request: "2Gi" });
      await world.untilTrue(() => world.asked("witness").length > 0);
    },
    async requests() {
      const all = await cluster.requests({ user: user.name });
      return all.filter(({ verb, resource }) => !["list", "watch"].includes(verb) && !["events", ""].includes(resource)).map(requestText);
    },
    grant: (role) => grantRole(admin, user.name, role),
    async refused() {
      return (await cluster.requests({ user: user.name })).filter(({ code }) => code >= 400).map(requestText);
    },
    async [Symbol.asyncDispose]() {
      disturbances.releaseWatches();
      await run?.[Symbol.asyncDispose]();
      await disposing.disposeAsync();
    },
  };
  if (!options.stopped) await world.run();
  const disposing = opened.move();
  return world;
}

function requestText({ verb, resource, subresource, name }: { verb: string; resource: string; subresource: string; name: string }): string {
  return `${verb} ${resource}${subresource && `/${subresource}`} ${name}`;
}
