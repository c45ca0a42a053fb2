import { systemClock } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import type { recordingLogger } from "@csi-sidecars/base/testing";
import { connectDriver, type operationMetrics } from "@csi-sidecars/csi";
import { type Client, InformerFactory, workQueueMetrics } from "@csi-sidecars/kube";
import { type CrashPoint, crashingClient, crashingDriver, type ScriptedDriver } from "@csi-sidecars/testcluster";
import { attacher } from "../component.ts";
import type { AttacherComponentContext } from "../flags.ts";

type Flags = AttacherComponentContext["flags"];

const defaults: Flags = {
  timeout: 15_000,
  workerThreads: 10,
  retryIntervalStart: 10,
  retryIntervalMax: 200,
  resync: 600_000,
  reconcileSync: 60_000,
  maxEntries: 0,
  detachDanglingVolumes: false,
  defaultFstype: "ext4",
  kubeApiQps: -1,
  kubeApiBurst: 0,
};

/** One process, with its own connections and caches, from its start to its end. */
export interface AttacherRun {
  readonly dead: boolean;
  stop(): Promise<void>;
}

/** What outlives it. */
export interface RunParts {
  readonly driver: ScriptedDriver;
  readonly log: ReturnType<typeof recordingLogger>;
  readonly metrics: Registry;
  readonly operations: ReturnType<typeof operationMetrics>;
  readonly kube: Client;
  readonly flags?: Partial<Flags>;
  /** Gates that are off. */
  readonly gatesOff?: readonly string[];
  /** When the component dies; one that is started after that does not. */
  readonly lastStep?: CrashPoint;
}

/** Starts the component with the flags, or dies at its last step. */
export async function startRun({
  driver,
  log,
  metrics,
  operations,
  kube: whole,
  flags: given,
  gatesOff,
  lastStep,
}: RunParts): Promise<AttacherRun> {
  const flags = { ...defaults, ...given };
  const { name } = driver.settings;
  const end = new AbortController();
  const connection = await connectDriver({ address: driver.address, log, metrics: operations });
  let dead = false;
  const die = () => {
    dead = true;
    end.abort();
    connection.close();
  };
  const kube = lastStep ? crashingClient(whole, lastStep, die, () => dead) : whole;
  const client = lastStep ? crashingDriver(connection.driver, lastStep, die) : connection.driver;
  const informers = new InformerFactory({ client: whole, clock: systemClock, log, freeze: true });
  informers.start(end.signal);
  const running = await attacher.start({
    ...{ flags, kube, informers, metrics, log, clock: systemClock, signal: end.signal, env: {}, alone: true },
    gates: { enabled: (gate) => !gatesOff?.includes(gate), explicit: () => false },
    driver: { address: driver.address, name, client, capabilities: connection.capabilities },
    volumeFinalizers: async () => [],
    kubeFor: () => kube,
    queueMetrics: workQueueMetrics(lastStep ? new Registry() : metrics),
    events: () => {
      throw new Error("the attacher emits no events");
    },
    health: () => {},
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
