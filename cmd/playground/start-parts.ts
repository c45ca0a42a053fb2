import type { Client } from "@csi-sidecars/kube";
import { checkPort } from "./cluster/check-port.ts";
import type { PlaygroundCluster } from "./cluster/cluster.ts";
import { installDriver } from "./cluster/install-driver.ts";
import { type PlannedNode, planNodes } from "./cluster/planned-nodes.ts";
import { startEmbedded } from "./cluster/start-embedded.ts";
import { controlPlaneAssets, startReal } from "./cluster/start-real.ts";
import type { Driver } from "./driver/driver.ts";
import { meetOwnDriver } from "./driver/own-driver.ts";
import { startHostpath } from "./driver/start-hostpath.ts";
import { mountPods } from "./kubelet/mount-pods.ts";
import type { Options } from "./options.ts";
import { hireCaretaker } from "./processes/caretaker.ts";
import { Refusal } from "./refusal.ts";
import { type Sidecar, startSidecar } from "./sidecar/start-sidecar.ts";
import type { ClusterShape } from "./state/note.ts";
import { settleShape } from "./state/settle-shape.ts";
import { openWorkplace } from "./state/workplace.ts";

/** Everything that runs; disposing of it ends all of it, the sidecar first, and removes what it left on disk. */
export interface Parts extends AsyncDisposable {
  readonly cluster: PlaygroundCluster;
  readonly admin: Client;
  readonly kubeconfig: string;
  /** The path of the built csi-sidecars. */
  readonly program: string;
  /** Where the logs are. */
  readonly folder: string;
  /** Where pods have their volumes, if the driver is ours. */
  readonly pods: string;
  readonly nodes: readonly PlannedNode[];
  readonly driver: Driver;
  readonly sidecar: Sidecar;
}

export interface PartsPlan {
  readonly options: Options;
  /** The path of the built csi-sidecars. */
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Starts the cluster, the driver and the sidecar; what has started is ended again if something fails. */
export async function startParts({ options, program, env, signal }: PartsPlan): Promise<Parts> {
  await checkPort(options.port);
  if (options.real) controlPlaneAssets(env);
  await using started = new AsyncDisposableStack();
  const workplace = started.use(await openWorkplace(options.state));
  const settled = settleShape(options, workplace.note?.shape);
  const nodes = planNodes(settled);
  const caretaker = started.use(hireCaretaker(workplace.folder));
  const driver = started.use(
    options.driver === undefined
      ? await startHostpath({ workplace, nodes, caretaker, signal })
      : await meetOwnDriver(options.driver, signal),
  );
  const shape = { ...settled, ...(options.driver !== undefined && { ownDriver: driver.facts.name }) };
  refuseOtherDriver(options, shape, workplace.note?.shape);
  const plan = { port: options.port, shape, workplace, ...hooksFor(driver, workplace.pods) };
  const cluster = started.use(await (shape.real ? startReal({ ...plan, caretaker, env, signal }) : startEmbedded(plan)));
  await installDriver(cluster.admin, nodes, driver);
  const sidecar = started.use(await startSidecar({ program, cluster, driver, workplace, caretaker, signal }));
  const running = started.move();
  const { folder, kubeconfig, pods } = workplace;
  return {
    ...{ cluster, admin: cluster.admin, kubeconfig, program, folder, nodes, driver, sidecar, pods },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Somebody's own driver may really mount, and what it mounts is not ours to clear up: its node half is left alone. */
function hooksFor({ hostpath, facts }: Driver, folder: string) {
  if (!hostpath) return {};
  return { hooks: (admin: Client) => mountPods(admin, { driver: hostpath.client, driverName: facts.name, folder }) };
}

function refuseOtherDriver({ state, driver }: Options, { ownDriver }: ClusterShape, kept: ClusterShape | undefined): void {
  if (!kept || kept.ownDriver === ownDriver) return;
  throw new Refusal(`--state: the cluster in ${state} is for the driver ${kept.ownDriver}, and ${ownDriver} listens on ${driver}`);
}
