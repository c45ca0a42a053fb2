import { randomUUID } from "node:crypto";
import { systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import { operationMetrics } from "@csi-sidecars/csi";
import {
  type Client,
  createClient,
  isNotFound,
  type KubeObject,
  mergePatch,
  type Resource,
  type V1VolumeAttachment,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import {
  type Cluster,
  type DriverOptions,
  presets,
  type ScriptedDriver,
  startCluster,
  startScriptedDriver,
} from "@csi-sidecars/testcluster";
import { finalizerName } from "../driver-mode.ts";
import { type AttacherRun, type RunParts, startRun } from "./attacher-run.ts";
import { bindRole } from "./bind-role.ts";
import { type Disturbance, disturbedClient } from "./disturbed-client.ts";
import { followErrors } from "./follow-errors.ts";
import { driverName, finalizer } from "./manifests.ts";

export interface WorldOptions extends Pick<RunParts, "flags" | "gatesOff" | "lastStep"> {
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
  readonly metrics: Registry;
  readonly kube: ReturnType<typeof disturbedClient>;
  /** Starts the component; after a stop or a death, anew: it knows nothing of before. */
  run(): Promise<void>;
  /** Ends the component and waits for its work. */
  stop(): Promise<void>;
  readonly dead: boolean;
  /** The one that the driver's attachments and volumes get. */
  readonly finalizer: string;
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

export async function startWorld(options: WorldOptions = {}): Promise<AttacherWorld> {
  const cluster = await startCluster();
  const user = cluster.newUser();
  await bindRole(cluster.admin, user.name, options.withoutSecrets ?? false);
  const driver = await startScriptedDriver({
    name: options.ownDriver ? `csi-${randomUUID().slice(0, 8)}.example.com` : driverName,
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
  let run: AttacherRun | undefined;

  /** An object that was made for the driver of all tests, for this one. */
  const own = <T>(object: T): T => {
    if (!options.ownDriver) return object;
    return JSON.parse(JSON.stringify(object).replaceAll(finalizer, finalizerName(name)).replaceAll(driverName, name));
  };

  const world: AttacherWorld = {
    ...{ cluster, driver, log, metrics, kube, admin: cluster.admin },
    async run() {
      const { flags, gatesOff, lastStep } = options;
      run = await startRun({ driver, log, metrics, operations, kube, flags, gatesOff, lastStep });
    },
    async stop() {
      await run?.stop();
    },
    get dead() {
      return run?.dead ?? true;
    },
    finalizer: finalizerName(name),
    create: (resource, object) => cluster.admin.create(resource, own(object)),
    async createAttachment(object, status) {
      await cluster.admin.create(VolumeAttachment, own(object));
      const ref = { name: object.metadata?.name ?? "" };
      if (status) await cluster.admin.patch(VolumeAttachment, ref, mergePatch({ status }), { subresource: "status" });
    },
    disturb: (disturbance) => void kube.disturbances.push(disturbance),
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

function shown({ verb, resource, subresource, name }: { verb: string; resource: string; subresource: string; name: string }): string {
  return `${verb} ${resource}${subresource && `/${subresource}`} ${name}`;
}
