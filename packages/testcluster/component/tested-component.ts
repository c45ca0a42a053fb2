import type { Clock } from "@csi-sidecars/base";
import type { recordingLogger } from "@csi-sidecars/base/testing";
import type { DriverCapabilities } from "@csi-sidecars/csi";
import type { Component, FlagTable, PolicyRule } from "@csi-sidecars/host";
import type { Environment } from "@csi-sidecars/kube";
import type { RecordedRequest } from "../apiserver/request-log.ts";
import type { Cluster, TestUser } from "../cluster/cluster.ts";
import { grantRole } from "../cluster/grant-role.ts";
import type { ScriptedDriver } from "../driver/scripted-driver.ts";
import { ClientDisturbances, type Disturbance } from "../program/client-disturbances.ts";
import type { CrashPoint, Restartable } from "../program/crash-at-every-step.ts";
import { commandLine, type Flags, withAllFlags } from "./command-line.ts";
import { componentUser } from "./component-user.ts";
import { type ComponentRun, type StartComponentOptions, startComponent } from "./start-component.ts";

/** Times and limits that suit tests, for components with the flags of requests and retries. */
export const fastFlags = { retryIntervalStart: 10, retryIntervalMax: 200, kubeApiQps: -1, kubeApiBurst: 0 };

export interface TestedComponentOptions<Table extends FlagTable> {
  /** The component's and the process's. */
  readonly flags?: Exclude<Flags<Table>, readonly string[]>;
  /** Beside the default ones. */
  readonly gatesOn?: readonly string[];
  readonly gatesOff?: readonly string[];
  readonly env?: Environment;
  /** The component's own; real time unless told. */
  readonly clock?: Clock;
  /** When the component crashes; one that is started after that does not. */
  readonly crashPoint?: CrashPoint;
  /** What its user may do, in the whole cluster; what the component's descriptor declares unless told. */
  readonly role?: readonly PolicyRule[];
  /** Left to the test: `run()`. */
  readonly stopped?: boolean;
  /** Where its log lines are recorded. */
  readonly log?: ReturnType<typeof recordingLogger>;
  /** Beside the disturbances. */
  readonly wrapClient?: StartComponentOptions<Table>["wrapClient"];
}

/** A component of a world, with its user and all the processes that it has run in. */
export interface TestedComponent extends Restartable, AsyncDisposable {
  readonly user: TestUser;
  /** Of all its processes. */
  readonly log: ReturnType<typeof recordingLogger>;
  /** Starts it; after a stop or a crash, as a new process that knows nothing of before. */
  run(): Promise<void>;
  /** Restarts it in the same process, by a driver that comes back with another capability. */
  restart(): Promise<void>;
  /** Stops it and waits for its work. */
  stop(): Promise<void>;
  /** Ends it as SIGKILL does: nothing that it still does reaches anybody. */
  kill(): Promise<void>;
  readonly dead: boolean;
  /** What a scrape of its metrics gets. */
  metrics(): Promise<string>;
  /** What goes wrong with its requests. */
  disturb(...disturbances: readonly Disturbance[]): void;
  /** Keeps the events of a kind from its caches until what it returns is called. */
  holdWatch: ClientDisturbances["holdWatch"];
  /** Keeps all events from its caches. */
  holdWatches(): void;
  releaseWatches: ClientDisturbances["releaseWatches"];
  /** Lets its user do more. */
  grant(role: readonly PolicyRule[], namespace?: string): Promise<void>;
  /** What it asked of the API server object by object, in order: without lists, watches, discovery, access reviews and events. */
  recorded(): Promise<readonly Readonly<RecordedRequest>[]>;
  /** The same as texts: `create persistentvolumes`, `patch persistentvolumeclaims/status data`. */
  requests(): Promise<string[]>;
  /**
   * All of its requests that the server refused: `403 list secrets`. A real server answers watches of a kind that was just installed with 429
   * until its storage is there: those are left out.
   */
  refused(): Promise<string[]>;
}

interface Surroundings {
  readonly cluster: Cluster;
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
}

/** Makes a user for the component; it does not run yet. */
export async function testedComponent<Table extends FlagTable>(
  component: Component<Table>,
  { cluster, driver, log }: Surroundings,
  options: TestedComponentOptions<Table>,
): Promise<TestedComponent> {
  const { env = {}, role, crashPoint, clock, wrapClient } = options;
  const gates = [
    ...(options.gatesOn ?? []).map((gate) => [gate, true] as const),
    ...(options.gatesOff ?? []).map((gate) => [gate, false] as const),
  ];
  const flags = { ...options.flags, ...(gates.length > 0 && { featureGates: new Map(gates) }) } as Flags<Table>;
  const user = role ? cluster.newUser() : await userAsShipped(cluster, component as unknown as Component, flags, env);
  if (role) await grantRole(cluster.admin, user.name, role);
  const disturbances = new ClientDisturbances();
  const runs: ComponentRun[] = [];
  const all = () => cluster.requests({ user: user.name });

  const tested: TestedComponent = {
    ...{ user, log },
    async run() {
      const run = await startComponent(patient(component), {
        ...{ cluster, user, flags, log, env },
        ...(component.driver !== "none" && { driver }),
        ...(clock && { componentClock: clock }),
        ...(crashPoint && { crashPoint }),
        wrapClient(client, about) {
          const disturbed = disturbances.wrap(client, about);
          return wrapClient?.(disturbed, about) ?? disturbed;
        },
      });
      runs.push(run);
    },
    async restart() {
      await runs.at(-1)?.restart();
    },
    async stop() {
      await runs.at(-1)?.stop();
    },
    async kill() {
      await runs.at(-1)?.kill();
    },
    get dead() {
      return runs.at(-1)?.dead ?? true;
    },
    metrics: async () => (await runs.at(-1)?.metrics()) ?? "",
    disturb: (...more) => disturbances.add(...more),
    holdWatch: disturbances.holdWatch,
    holdWatches: disturbances.holdWatches,
    releaseWatches: disturbances.releaseWatches,
    grant: (rules, namespace) => grantRole(cluster.admin, user.name, rules, namespace),
    async recorded() {
      return (await all()).filter(
        ({ verb, resource }) => !["list", "watch"].includes(verb) && !["events", "selfsubjectaccessreviews", ""].includes(resource),
      );
    },
    requests: async () => (await tested.recorded()).map(requestText),
    refused: async () =>
      (await all())
        .filter(({ code, verb }) => code >= 400 && !(code === 429 && verb === "watch"))
        .map((request) => `${request.code} ${requestText(request)}`),
    async [Symbol.asyncDispose]() {
      disturbances.releaseWatches();
      for (const run of runs) await run[Symbol.asyncDispose]();
    },
  };
  return tested;
}

/**
 * The component with time enough to learn of its driver. A test's short limit is for the calls that it is about: a busy machine must
 * not fail the start.
 */
function patient<Table extends FlagTable>(component: Component<Table>): Component<Table> {
  const timeoutMs = 10_000;
  return {
    ...component,
    identityTimeoutMs: () => timeoutMs,
    start(context) {
      const { plugin, controller, groupController, node } = context.driver.capabilities;
      const capabilities: DriverCapabilities = {
        plugin: (options) => plugin({ ...options, timeoutMs }),
        controller: (options) => controller({ ...options, timeoutMs }),
        groupController: (options) => groupController({ ...options, timeoutMs }),
        node: (options) => node({ ...options, timeoutMs }),
      };
      return component.start({ ...context, driver: { ...context.driver, capabilities } });
    },
  };
}

/** A user with the rights that the component declares for these flags. */
function userAsShipped(cluster: Cluster, component: Component, flags: Flags<FlagTable>, env: Environment): Promise<TestUser> {
  const argv = commandLine(component, flags, false);
  return componentUser(cluster, "individual", [withAllFlags(component)], { argv, env });
}

function requestText({ verb, resource, subresource, name }: RecordedRequest): string {
  return `${verb} ${resource}${subresource && `/${subresource}`}${name && ` ${name}`}`;
}
