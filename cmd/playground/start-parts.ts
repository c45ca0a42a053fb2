import { hireCaretaker } from "./caretaker.ts";
import { nodeNames } from "./cluster-objects.ts";
import type { Options } from "./options.ts";
import { type PlaygroundCluster, startPlaygroundCluster } from "./start-cluster.ts";
import { type Driver, startDriver } from "./start-driver.ts";
import { type Sidecar, startSidecar } from "./start-sidecar.ts";
import { openWorkplace } from "./workplace.ts";

/** Everything that runs; disposing of it ends all of it, the sidecar first, and removes what it left on disk. */
export interface Parts extends Pick<PlaygroundCluster, "server" | "admin">, AsyncDisposable {
  readonly kubeconfig: string;
  /** Where the logs are. */
  readonly folder: string;
  readonly nodes: readonly string[];
  readonly driver: Driver;
  readonly sidecar: Sidecar;
}

/** Starts the cluster, the driver and the sidecar; what has started is ended again if something fails. */
export async function startParts(options: Options, program: string, signal: AbortSignal): Promise<Parts> {
  await using started = new AsyncDisposableStack();
  const workplace = started.use(openWorkplace(options.state));
  const caretaker = started.use(hireCaretaker(workplace.folder));
  const nodes = nodeNames(options.nodes);
  // First the driver: it refuses a state that another playground uses.
  const driver = started.use(await startDriver({ workplace, nodes, caretaker, signal }));
  const { server, admin } = started.use(await startPlaygroundCluster({ port: options.port, nodes, workplace }));
  const sidecar = started.use(await startSidecar({ program, server, socket: driver.socket, workplace, caretaker, signal }));
  const running = started.move();
  const { folder, kubeconfig } = workplace;
  return { server, admin, kubeconfig, folder, nodes, driver, sidecar, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
