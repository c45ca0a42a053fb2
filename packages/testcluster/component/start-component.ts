import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Logger } from "@csi-sidecars/base";
import { recordingLogger } from "@csi-sidecars/base/testing";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Component, FlagTable, PolicyRule } from "@csi-sidecars/host";
import type { Client, Environment } from "@csi-sidecars/kube";
import type { RecordedRequest } from "../apiserver/request-log.ts";
import type { Cluster, TestUser } from "../cluster/cluster.ts";
import type { Capabilities } from "../driver/capabilities.ts";
import type { ScriptedDriver } from "../driver/scripted-driver.ts";
import { type CrashPoint, crashingClient, crashingDriver } from "../program/crash-at-every-step.ts";
import { type ProgramRun, runInProcess } from "../program/run-in-process.ts";
import { commandLine, type Flags, gives, withAllFlags } from "./command-line.ts";
import { componentUser } from "./component-user.ts";
import { KillSwitch } from "./kill-switch.ts";
import { observed } from "./observed.ts";
import { teeLogger } from "./tee-logger.ts";

/** What a component runs with. Everything has a default but the driver and the cluster of a component that needs them. */
export interface StartComponentOptions<Table extends FlagTable> {
  /**
   * The component's flags and the process's, as a command line or as values. The component may be given every flag, also those that
   * upstream's program lacks. By default: no leader election, `--loss-policy=restart`, and an HTTP server on a port of its own.
   */
  readonly flags?: Flags<Table>;
  /** Its driver: the address becomes `--csi-address`. */
  readonly driver?: Pick<ScriptedDriver, "address" | "settings" | "kill" | "start">;
  /** Its API server: a kubeconfig file of the component's user becomes `--kubeconfig`. */
  readonly cluster?: Cluster;
  /** Who the component is at the API server, with the rights that the test gave it. By default a new user with the rights of {@link rules}. */
  readonly user?: TestUser;
  /** What a new user may do in the whole cluster; by default what the component's descriptor declares. */
  readonly rules?: readonly PolicyRule[];
  /** Further components in the same process, which is the all-in-one then: a component's flags have its name as their prefix. */
  readonly beside?: readonly Component[];
  readonly env?: Environment;
  /** What it is called in leader election. */
  readonly hostName?: string;
  /** The time of the whole process: real time by default. */
  readonly clock?: Clock;
  /** The time that the component itself sees, with real time in the informers, clients and connections around it. */
  readonly componentClock?: Clock;
  /** Where its log lines are recorded, at every verbosity: for a test that keeps them over several runs. */
  readonly log?: ReturnType<typeof recordingLogger>;
  /**
   * Disturbs requests: gets each client that the process makes and gives the one that is used. `name` is the component's name for its
   * work, `<component>-<purpose>` for its further clients, `informers`, `events`, `leader-election`. `kill` is {@link ComponentRun.kill}.
   */
  readonly wrapClient?: (client: Client, about: { readonly name: string; kill(): void }) => Client;
  /** Disturbs calls to the driver; capabilities are read past it. */
  readonly wrapDriver?: (driver: DriverClient, about: { kill(): void }) => DriverClient;
  /** Kills it at its n-th request to the API server or call to the driver: see `crashAtEveryStep`. */
  readonly crashPoint?: CrashPoint;
  /** `false`: returns at once, for a component that is to wait for a driver or for leadership. */
  readonly waitUntilRunning?: boolean;
}

/** A component that runs in the test, in the process that ships. */
export interface ComponentRun extends ProgramRun {
  /** Its log lines at every verbosity, as values; {@link ProgramRun.output} has the text of those that `-v` shows. */
  readonly log: ReturnType<typeof recordingLogger>;
  /** Who it is at the API server. Without a cluster there is none. */
  readonly user: TestUser | undefined;
  /** How often the component was started in this process. */
  readonly starts: number;
  /** Resolves when it runs, or runs for the n-th time; rejects with what its start threw, or with the output, when the process ends before. */
  running(starts?: number): Promise<void>;
  /** What the component's user asked of the API server. */
  requests(): Promise<readonly Readonly<RecordedRequest>[]>;
  /** What a scrape of `/metrics` gets. */
  metrics(): Promise<string>;
  /**
   * Restarts the driver with another capability, of which no component makes use: the component stops and starts again in the same process,
   * with what it kept (`ComponentContext.keep`).
   */
  restart(): Promise<void>;
  /** Ends the process as SIGTERM does: work in flight is finished. Resolves with its exit code. */
  stop(): Promise<number>;
  /** Ends it as SIGKILL does: nothing that it still does reaches the API server or the driver. Resolves when nothing of it runs any more. */
  kill(): Promise<void>;
  /** Whether it was killed. */
  readonly dead: boolean;
}

/**
 * Runs a component in the test as its program runs it: command line, driver session, leadership guard, shared informers, a client
 * with its own token bucket, supervision, health and metrics are those of `packages/host`. Returns when the component runs; killed at
 * the end of the block.
 *
 * ```ts
 * await using cluster = await startCluster();
 * await using driver = await startScriptedDriver({ capabilities: "attachable", volumes: [{ id: "handle" }] });
 * await using run = await startComponent(attacher, { cluster, driver, flags: { timeout: 150, kubeApiQps: -1 } });
 * await cluster.admin.create(VolumeAttachment, attachment("va"));
 * await driver.called("ControllerPublishVolume");
 * await run.stop();
 * expect((await run.requests()).filter(({ code }) => code >= 400)).toEqual([]);
 * ```
 */
export async function startComponent<Table extends FlagTable>(
  component: Component<Table>,
  options: StartComponentOptions<Table> = {},
): Promise<ComponentRun> {
  const { driver, cluster, beside = [], crashPoint, log = recordingLogger() } = options;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "csi-component-"));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  opened.defer(removeFolder);
  const form = beside.length > 0 ? "all-in-one" : "individual";
  const descriptor: Component = component as unknown as Component;
  const watch = observed(descriptor, options.componentClock);
  const components = [watch.component, ...beside].map((each) => (form === "individual" ? withAllFlags(each) : each));
  const given = commandLine(descriptor, options.flags ?? {}, form === "all-in-one");
  const argv = [
    ...(form === "all-in-one" ? [`--controllers=${components.map(({ name }) => name).join(",")}`] : []),
    ...(gives(given, "http-endpoint", "metrics-address") ? [] : ["--http-endpoint=127.0.0.1:0"]),
    ...(gives(given, "loss-policy") ? [] : ["--loss-policy=restart"]),
    ...(driver ? [`--csi-address=${driver.address}`] : []),
    ...given,
  ];
  const user = cluster && (options.user ?? (await componentUser(cluster, form, components, { ...options, argv })));
  if (cluster && user) {
    const kubeconfig = join(folder, "kubeconfig");
    await writeFile(kubeconfig, cluster.kubeconfig(user.token));
    argv.unshift(`--kubeconfig=${kubeconfig}`);
  }

  const killSwitch = new KillSwitch();
  const program: { run?: ProgramRun } = {};
  const kill = () => {
    killSwitch.kill();
    // The second signal ends the drain that the first one begins.
    program.run?.signal();
    program.run?.signal();
  };
  const isWork = (name: string) => !["informers", "events", "leader-election"].includes(name);
  const run = await runInProcess(components, argv, {
    ...{ form, env: options.env, clock: options.clock, hostName: options.hostName },
    intercept: {
      freezeCaches: true,
      logger: (root: Logger) => teeLogger(root, log),
      client(client, name) {
        // The configuration has been read: what is gone now cannot stay behind when a test runs out of time.
        removeFolder();
        const wrapped = options.wrapClient?.(client, { name, kill }) ?? client;
        const crashing = crashPoint && isWork(name) ? crashingClient(wrapped, crashPoint, kill, () => killSwitch.dead) : wrapped;
        return killSwitch.client(crashing);
      },
      driver(client) {
        const wrapped = options.wrapDriver?.(client, { kill }) ?? client;
        return killSwitch.driver(crashPoint ? crashingDriver(wrapped, crashPoint, kill) : wrapped);
      },
    },
  });
  program.run = run;
  if (killSwitch.dead) kill();
  opened.use(run);
  opened.defer(kill);

  const ended = run.exit.then((code) => {
    if (!killSwitch.dead)
      throw watch.failure ?? new Error(`${component.name} ended with exit code ${code} before it ran:\n${run.output()}`);
  });
  ended.catch(() => undefined);
  const running = (starts = watch.starts) => Promise.race([watch.running(starts), ended]);
  const stopped = async () => {
    const code = await run.exit;
    await watch.quiet();
    await run[Symbol.asyncDispose]();
    return code;
  };
  const started: ComponentRun = {
    ...run,
    ...{ log, user, running },
    get starts() {
      return watch.starts;
    },
    get dead() {
      return killSwitch.dead;
    },
    requests: async () => (user && cluster ? cluster.requests({ user: user.name }) : []),
    async metrics() {
      const response = await fetch(`${await run.url()}/metrics`);
      return response.text();
    },
    async restart() {
      const before = watch.starts;
      if (!driver) return;
      await driver.kill();
      driver.settings.capabilities = withOtherExpansion(driver.settings.capabilities);
      await driver.start();
      await running(before + 1);
    },
    stop() {
      run.signal();
      return stopped();
    },
    async kill() {
      kill();
      await stopped();
    },
    async [Symbol.asyncDispose]() {
      await started.kill();
      await disposing.disposeAsync();
    },
  };
  if (options.waitUntilRunning ?? true) await running(1);
  const disposing = opened.move();
  return started;
}

/** Whether volumes can be expanded offline is the resizer's to know. */
function withOtherExpansion(capabilities: Capabilities): Capabilities {
  const { expansion } = capabilities;
  return { ...capabilities, expansion: expansion.includes("OFFLINE") ? [] : ["OFFLINE"] };
}
