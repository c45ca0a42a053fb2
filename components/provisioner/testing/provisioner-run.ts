import { type Clock, systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import type { recordingLogger } from "@csi-sidecars/base/testing";
import { connectDriver, type DriverConnection, operationMetrics } from "@csi-sidecars/csi";
import { type Client, EventBroadcaster, InformerFactory, type RateLimit, workQueueMetrics } from "@csi-sidecars/kube";
import { type CrashPoint, crashingDriver, type ScriptedDriver } from "@csi-sidecars/testcluster";
import { provisioner } from "../component.ts";
import type { ProvisionerComponentContext } from "../flags.ts";
import type { ProcessState, ProvisionerState } from "../provisioner-state.ts";
import { provisionerState, startProvisioner } from "../start.ts";
import { type Disturbance, type MortalClient, mortalClient } from "./mortal-client.ts";

export type Flags = ProvisionerComponentContext["flags"];

/** How a test wants the component to run. */
export interface RunOptions {
  /** Beside the default ones. */
  readonly gatesOn?: readonly string[];
  readonly gatesOff?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The component's own; real time unless told. */
  readonly clock?: Clock;
  /** When the component dies; one that is started after that does not. */
  readonly lastStep?: CrashPoint;
}

/** The initial values of all flags, with times that suit tests. */
export const testFlags: Flags = {
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
};

/** One process, with its own connections and caches, from its start to its end. */
export interface ProvisionerRun {
  readonly kube: MortalClient;
  readonly metrics: Registry;
  readonly state: ProvisionerState;
  stop(): Promise<void>;
}

/** What outlives it. */
export interface RunParts extends RunOptions {
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  client(name: string, limit?: RateLimit): Client;
  readonly disturbances: Disturbance[];
  readonly flags: Flags;
  readonly kept: ProcessState;
}

/** Starts the component; it dies at its last step, if it has one. */
export async function startRun(parts: RunParts): Promise<ProvisionerRun> {
  const { driver, log, client, disturbances, flags, kept, lastStep } = parts;
  const end = new AbortController();
  const metrics = new Registry();
  const operations = operationMetrics({ registry: metrics });
  operations.setDriver(driver.settings.name, { migratable: false });
  const connection: DriverConnection = await connectDriver({ address: driver.address, log, metrics: operations });
  // A test's short limit is for the calls it is about; a busy machine must not fail the start.
  await connection.capabilities.plugin({ timeoutMs: 10_000 });
  await connection.capabilities.controller({ timeoutMs: 10_000 }).catch(() => undefined);
  const die = () => {
    end.abort();
    connection.close();
  };
  const kube = mortalClient(client("provisioner"), disturbances, die, lastStep);
  const caller = lastStep ? crashingDriver(connection.driver, lastStep, () => kube.kill()) : connection.driver;
  const informers = new InformerFactory({ client: client("informers"), clock: systemClock, log, freeze: true });
  const broadcaster = new EventBroadcaster({ client: client("events"), clock: systemClock, log });
  informers.start(end.signal);
  const initial = (gate: string) => provisioner.gates?.[gate]?.initial ?? false;
  const enabled = (gate: string) => (parts.gatesOn?.includes(gate) || initial(gate)) && !parts.gatesOff?.includes(gate);
  const clock = parts.clock ?? systemClock;
  const state = provisionerState({ flags, clock, keep: <T>() => kept as T });
  const starting = startProvisioner(
    {
      ...{
        flags,
        kube,
        informers,
        metrics,
        log,
        clock,
        signal: end.signal,
        alone: true,
        volumeFinalizers: async () => [],
      },
      gates: { enabled, explicit: () => false },
      driver: { address: driver.address, name: driver.settings.name, client: caller, capabilities: connection.capabilities },
      env: parts.env ?? {},
      queueMetrics: workQueueMetrics(metrics),
      kubeFor: (purpose, limit) => client(purpose, limit),
      events: (source) => broadcaster.recorder(source, log),
      health: () => {},
      spelled: (flag) => flag,
    },
    state,
  );
  const running = await starting.catch((error: unknown) => {
    end.abort();
    connection.close();
    throw error;
  });
  return {
    kube,
    metrics,
    state,
    async stop() {
      end.abort();
      await running.done;
      await broadcaster.shutDown(1_000);
      connection.close();
    },
  };
}
