import { randomUUID } from "node:crypto";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import {
  type Client,
  isNotFound,
  type KubeObject,
  mergePatch,
  type Resource,
  type V1VolumeAttachment,
  VolumeAttachment,
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
import { attacher } from "../component.ts";
import { finalizerName } from "../driver-capabilities.ts";
import type { AttacherComponentContext } from "../flags.ts";
import { attacherRules } from "../rbac.ts";
import { driverName, finalizer } from "./objects.ts";

export interface WorldOptions {
  readonly flags?: Partial<AttacherComponentContext["flags"]>;
  /** Gates that are off. */
  readonly gatesOff?: readonly string[];
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  readonly driver?: DriverOptions;
  /** One whose name no other test has: what a shared server remembers of others is none of its business. Objects are created for it. */
  readonly ownDriver?: true;
  /** Left to the test: `world.run()`. */
  readonly stopped?: boolean;
  /** Without the optional rule about secrets. */
  readonly withoutSecrets?: boolean;
}

/** The component with a driver and an API server, all over real sockets; its user may do what the shipped role says and no more. */
export interface AttacherWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  /** Starts the component; after a stop or a crash, as a new process that knows nothing of before. */
  run(): Promise<void>;
  /** Stops the component and waits for its work. */
  stop(): Promise<void>;
  readonly dead: boolean;
  /** What a scrape of its metrics gets. */
  metrics(): Promise<string>;
  /** The one that the driver's attachments and volumes get. */
  readonly finalizer: string;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  /** Creates an attachment with a status. */
  createAttachment(object: V1VolumeAttachment, status?: object): Promise<void>;
  disturb(disturbance: Disturbance): void;
  /** Holds back the watch events of the component. */
  holdWatches(): void;
  releaseWatches(): void;
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

const fastFlags = { retryIntervalStart: 10, retryIntervalMax: 200, defaultFstype: "ext4", kubeApiQps: -1, kubeApiBurst: 0 };

export async function startWorld(options: WorldOptions = {}): Promise<AttacherWorld> {
  const { gatesOff = [], crashPoint, withoutSecrets = false } = options;
  const cluster = await startCluster();
  const user = cluster.newUser();
  const rules = attacherRules.cluster.filter(({ resources }) => !withoutSecrets || !resources.includes("secrets"));
  await grantRole(cluster.admin, user.name, rules);
  const driver = await startScriptedDriver({
    name: options.ownDriver ? `csi-${randomUUID().slice(0, 8)}.example.com` : driverName,
    capabilities: publishing,
    volumes: ["handle1", "handle2"].map((id) => ({ id })),
    ...options.driver,
  });
  const { name } = driver.settings;
  const flags = { ...fastFlags, ...options.flags, featureGates: new Map(gatesOff.map((gate) => [gate, false])) };
  const log = recordingLogger();
  const disturbances = new ClientDisturbances();
  const over = new AbortController();
  const seen: string[] = [];
  const history = followErrors(cluster.admin, seen, over.signal);
  const runs: ComponentRun[] = [];

  /** An object that was made for the driver of all tests, for this one. */
  const own = <T>(object: T): T => {
    if (!options.ownDriver) return object;
    return JSON.parse(JSON.stringify(object).replaceAll(finalizer, finalizerName(name)).replaceAll(driverName, name));
  };

  const world: AttacherWorld = {
    ...{ cluster, driver, log, admin: cluster.admin },
    async run() {
      runs.push(await startComponent(attacher, { cluster, driver, user, flags, log, crashPoint, wrapClient: disturbances.wrap }));
    },
    async stop() {
      await runs.at(-1)?.stop();
    },
    get dead() {
      return runs.at(-1)?.dead ?? true;
    },
    metrics: async () => (await runs.at(-1)?.metrics()) ?? "",
    finalizer: finalizerName(name),
    create: (resource, object) => cluster.admin.create(resource, own(object)),
    async createAttachment(object, status) {
      await cluster.admin.create(VolumeAttachment, own(object));
      const ref = { name: object.metadata?.name ?? "" };
      if (status) await cluster.admin.patch(VolumeAttachment, ref, mergePatch({ status }), { subresource: "status" });
    },
    disturb: (disturbance) => disturbances.add(disturbance),
    holdWatches: disturbances.holdWatches,
    releaseWatches: disturbances.releaseWatches,
    until(what, name = "va") {
      let last: V1VolumeAttachment | undefined;
      const look = async () => {
        last = await cluster.admin.get(VolumeAttachment, { name });
        return what(last) ? last : undefined;
      };
      return until(() => `${what} of ${JSON.stringify(last)}`, look);
    },
    async untilTrue(what) {
      await until(String(what), async () => Boolean(await what()));
    },
    async untilGone(resource, name) {
      const isGone = () => cluster.admin.get(resource, { name }).then(() => false, isNotFound);
      await until(`the end of ${resource.kind} ${name}`, isGone);
    },
    get: (resource, name) => cluster.admin.get(resource, { name }),
    errors: () => seen,
    async requests() {
      const all = await cluster.requests({ user: user.name });
      return all.filter(({ verb }) => verb !== "list" && verb !== "watch").map(requestText);
    },
    async refused() {
      return (await cluster.requests({ user: user.name })).filter(({ code }) => code >= 400).map(requestText);
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      disturbances.releaseWatches();
      for (const run of runs) await run[Symbol.asyncDispose]();
      await history;
      await driver[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
  if (!options.stopped) await world.run();
  return world;
}

function requestText({ verb, resource, subresource, name }: { verb: string; resource: string; subresource: string; name: string }): string {
  return `${verb} ${resource}${subresource && `/${subresource}`} ${name}`;
}

/** Notes every error of an attachment that appears or disappears. */
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
