import { join } from "node:path";
import { populatorDefinitions } from "@csi-sidecars/crds";
import type { Client } from "@csi-sidecars/kube";
import { startRelay, startSocketRelay } from "@csi-sidecars/testcluster";
import type { Programs } from "./built-programs.ts";
import { checkPort, type PlaygroundCluster } from "./cluster/cluster.ts";
import { installDefinitions } from "./cluster/install-definitions.ts";
import { installDriver } from "./cluster/install-driver.ts";
import { installSnapshots } from "./cluster/install-snapshots.ts";
import { type PlannedNode, planNodes } from "./cluster/nodes.ts";
import { ensureServiceAccount } from "./cluster/service-account.ts";
import { startEmbedded } from "./cluster/start-embedded.ts";
import { controlPlaneAssets, startReal } from "./cluster/start-real.ts";
import type { Driver } from "./driver/driver.ts";
import { connectOwnDriver } from "./driver/own-driver.ts";
import { startHostpath } from "./driver/start-hostpath.ts";
import { type Fault, faultsOf } from "./faults/faults.ts";
import { type NodeService, openNodeService } from "./kubelet/node-service.ts";
import type { Options } from "./options.ts";
import { startReaper } from "./processes/reaper.ts";
import type { ShippedProgram } from "./processes/shipped-program.ts";
import { startSidecar } from "./sidecar/sidecar.ts";
import { startSnapshotController } from "./snapshot-controller/snapshot-controller.ts";
import { type ClusterShape, resolveShape } from "./state/cluster-shape.ts";
import { openRunFolders } from "./state/run-folders.ts";
import { UserError } from "./user-error.ts";

/** A running playground. Disposing of it stops everything, the sidecar first, and removes its temporary files. */
export interface Playground extends AsyncDisposable {
  readonly cluster: PlaygroundCluster;
  readonly admin: Client;
  readonly kubeconfig: string;
  readonly programs: Programs;
  /** Where the logs are. */
  readonly folder: string;
  readonly nodes: readonly PlannedNode[];
  readonly driver: Driver;
  readonly nodeService: NodeService;
  readonly sidecar: ShippedProgram;
  /** What can be let go wrong. */
  readonly faults: readonly Fault[];
  /** Absent where the driver takes no snapshots. */
  readonly snapshotController?: ShippedProgram;
}

export interface PlaygroundPlan {
  readonly options: Options;
  readonly programs: Programs;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Told what the end of the playground leaves behind. */
  readonly warn: (line: string) => void;
}

/** Starts the cluster, the driver and the shipped programs. If one of them fails, those that have started are stopped again. */
export async function startPlayground({ options, programs, env, signal, warn }: PlaygroundPlan): Promise<Playground> {
  await checkPort(options.port);
  if (options.real) controlPlaneAssets(env);
  await using started = new AsyncDisposableStack();
  const folders = started.use(await openRunFolders(options.state));
  const resolved = resolveShape(options, folders.saved?.shape);
  const nodes = planNodes(resolved);
  const reaper = started.use(startReaper(folders.folder));
  const driver = started.use(
    options.driver === undefined ? await startHostpath({ folders, nodes, reaper, signal }) : await connectOwnDriver(options.driver, signal),
  );
  const shape = { ...resolved, ...(options.driver !== undefined && { ownDriver: driver.info.name }) };
  refuseOtherDriver(options, shape, folders.saved?.shape);
  const nodeService = started.use(openNodeService({ driver, folders, controllerOnly: options.controllerOnly, warn }));
  const plan = { port: options.port, shape, folders, hooks: nodeService.hooks };
  const cluster = started.use(await (shape.real ? startReal({ ...plan, reaper, env, signal }) : startEmbedded(plan)));
  await ensureServiceAccount(cluster.admin);
  await installDriver(cluster.admin, nodes, driver);
  const apiServer = started.use(await startRelay(cluster.url));
  const kubeconfigOf = (user: string) => cluster.kubeconfigOf(user).replace(cluster.url, apiServer.address);
  const surroundings = { admin: cluster.admin, kubeconfigOf, folders, reaper, signal };
  const ownDriver = driver.hostpath ? undefined : started.use(await startSocketRelay(driver.socket, join(folders.folder, "driver.sock")));
  const faults = faultsOf({ apiServer, ...(driver.hostpath && { hostpath: driver.hostpath }), ...(ownDriver && { ownDriver }) });
  if (driver.info.provisions) await installDefinitions(cluster.admin, populatorDefinitions, signal);
  if (driver.info.snapshots) await installSnapshots(cluster.admin, driver.info, signal);
  const snapshotController = driver.info.snapshots
    ? started.use(await startSnapshotController({ ...surroundings, program: programs.snapshotController }))
    : undefined;
  const sidecar = started.use(
    await startSidecar({ ...surroundings, program: programs.sidecars, driver, csiAddress: ownDriver?.address ?? driver.socket }),
  );
  const running = started.move();
  const { folder, kubeconfig } = folders;
  return {
    ...{ cluster, admin: cluster.admin, kubeconfig, programs, folder, nodes, driver, sidecar, nodeService, faults },
    ...(snapshotController && { snapshotController }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function refuseOtherDriver({ state, driver }: Options, { ownDriver }: ClusterShape, kept: ClusterShape | undefined): void {
  if (!kept || kept.ownDriver === ownDriver) return;
  throw new UserError(`--state: the cluster in ${state} is for the driver ${kept.ownDriver}, and ${ownDriver} listens on ${driver}`);
}
