import { messageOf } from "@csi-sidecars/base";
import { recordingLogger, until } from "@csi-sidecars/base/testing";
import type { Component, FlagTable } from "@csi-sidecars/host";
import { type Client, Event, isNotFound, type KubeObject, type ObjectRef, type Resource } from "@csi-sidecars/kube";
import type { Cluster, ClusterOptions } from "../cluster/cluster.ts";
import { startCluster } from "../cluster/start-cluster.ts";
import type { DriverOptions } from "../driver/driver-options.ts";
import { type ScriptedDriver, startScriptedDriver } from "../driver/scripted-driver.ts";
import type { JsonObject } from "../rules/json.ts";
import { type TestedComponent, type TestedComponentOptions, testedComponent } from "./tested-component.ts";

export interface ComponentWorldOptions {
  readonly cluster?: ClusterOptions;
  readonly driver?: DriverOptions;
  /** CustomResourceDefinitions that the API server serves from the start. */
  readonly definitions?: readonly JsonObject[];
}

/** An API server, a driver and the components that a test adds, all over real sockets, with what tests ask about them. */
export interface ComponentWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: Client;
  /** The driver of all components that need one. */
  readonly driver: ScriptedDriver;
  /** Adds a component with a user of its own. It runs at once unless it is to be `stopped`. */
  add<Table extends FlagTable>(component: Component<Table>, options?: TestedComponentOptions<Table>): Promise<TestedComponent>;
  create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>;
  /** Waits for an object that exists and is as told. */
  until<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, is: (object: T) => unknown): Promise<T>;
  untilTrue(what: () => unknown, ms?: number): Promise<void>;
  untilGone<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<void>;
  /** `Normal Resizing: message` of the events about an object, oldest first, each once however often it was told. */
  events(about: string | EventSubject): Promise<string[]>;
  /** Waits for an event that contains the text, and returns it. */
  untilEvent(about: string | EventSubject, text: string): Promise<string>;
}

/** What an event is about, where the name alone does not tell. */
export type EventSubject = { readonly kind?: string } & ObjectRef;

/**
 * The world of a component's tests: worlds of components add their component and what only they need.
 *
 * ```ts
 * await using world = await startComponentWorld({ definitions: snapshotDefinitions });
 * const controller = await world.add(snapshotController, { flags: fastFlags });
 * await world.create(VolumeSnapshot, snapshot("backup"));
 * await world.until(VolumeSnapshot, inDefault("backup"), ({ status }) => status?.boundVolumeSnapshotContentName);
 * expect(await controller.refused()).toEqual([]);
 * ```
 */
export async function startComponentWorld(options: ComponentWorldOptions = {}): Promise<ComponentWorld> {
  await using opened = new AsyncDisposableStack();
  const { definitions = [] } = options;
  const cluster = opened.use(await startCluster({ ...options.cluster, definitions }));
  const { admin } = cluster;
  const driver = opened.use(await startScriptedDriver(options.driver));
  const added: TestedComponent[] = [];

  const errors = () =>
    added
      .flatMap(({ log }) => log.lines)
      .filter(({ severity }) => severity === "error")
      .map(({ message, error }) => `${message}: ${error}`);

  const world: ComponentWorld = {
    ...{ cluster, admin, driver },
    async add(component, { log = recordingLogger(), ...given } = {}) {
      const one = await testedComponent(component, { cluster, driver, log }, given);
      added.push(one);
      if (!given.stopped) await one.run();
      return one;
    },
    create: (resource, object) => admin.create(resource, object),
    async until(resource, ref, is) {
      let seen = "";
      const look = async () => {
        const object = await admin.get(resource, ref).catch((error: unknown) => {
          seen = messageOf(error);
        });
        if (!object) return undefined;
        seen = JSON.stringify(object, (_, value) => (typeof value === "bigint" ? `${value}` : value));
        return is(object) ? object : undefined;
      };
      return until(() => `${resource.kind} ${ref.name} ${is}: ${seen}; errors: ${errors()}`, look);
    },
    async untilTrue(what, ms) {
      await until(String(what), async () => Boolean(await what()), ms);
    },
    async untilGone(resource, ref) {
      const isGone = () => admin.get(resource, ref).then(() => false, isNotFound);
      await until(`the end of ${resource.kind} ${ref.name}`, isGone);
    },
    async events(about) {
      const subject = typeof about === "string" ? { name: about } : about;
      const { items } = await admin.list(Event);
      return items
        .filter(({ involvedObject }) => isAbout(subject, involvedObject))
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    },
    async untilEvent(about, text) {
      let seen: string[] = [];
      const look = async () => {
        seen = await world.events(about);
        return seen.find((event) => event.includes(text));
      };
      return until(() => `event ${text} about ${JSON.stringify(about)}, seen: ${seen.join("\n")}; errors: ${errors()}`, look);
    },
    async [Symbol.asyncDispose]() {
      const ended = Promise.all(added.map((one) => one[Symbol.asyncDispose]()));
      await driver.kill();
      await ended;
      await disposing.disposeAsync();
    },
  };
  const disposing = opened.move();
  return world;
}

function isAbout(subject: EventSubject, involved: Partial<EventSubject>): boolean {
  return (["kind", "namespace", "name"] as const).every((key) => subject[key] === undefined || subject[key] === involved[key]);
}
