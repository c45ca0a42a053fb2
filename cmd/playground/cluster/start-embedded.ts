import { writeFileSync } from "node:fs";
import { messageOf } from "@csi-sidecars/base";
import { startApiServer } from "@csi-sidecars/testcluster";
import type { ClusterShape } from "../state/cluster-shape.ts";
import type { RunFolders } from "../state/run-folders.ts";
import { saveCluster } from "../state/save-cluster.ts";
import { UserError } from "../user-error.ts";
import { type ControllersPlan, openClient, type PlaygroundCluster, startControllers } from "./cluster.ts";

export interface EmbeddedPlan extends Pick<ControllersPlan, "hooks"> {
  readonly port: number;
  readonly shape: ClusterShape;
  readonly folders: RunFolders;
}

/** How many requests the server records: the playground does not read them. */
const keepRequests = 100;

/** As kube-controller-manager's namespace controller. */
const namespaceDelayMs = 5_000;

/** The API server of the test cluster, in this process. */
export async function startEmbedded({ port, shape, folders, hooks }: EmbeddedPlan): Promise<PlaygroundCluster> {
  await using started = new AsyncDisposableStack();
  const { clusterFile, saved } = folders;
  const kept = { ...(clusterFile && { dataFile: clusterFile }), ...(saved?.authority && { authority: saved.authority }) };
  const server = await startApiServer({
    port,
    keepRequests,
    gracefulPods: true,
    namespaceDelayMs,
    garbageCollector: true,
    ...kept,
    ...(saved && { adminToken: saved.adminToken }),
  }).catch((error: unknown) => {
    throw clusterFile === undefined ? error : new UserError(`--state: cannot continue from ${clusterFile}: ${messageOf(error)}`);
  });
  started.defer(() => server.stop("graceful"));
  const { adminToken, authority } = server;
  folders.save({ shape, adminToken, authority });
  const saving = clusterFile === undefined ? undefined : started.use(saveCluster(server, clusterFile));
  writeFileSync(folders.kubeconfig, server.kubeconfig({ token: adminToken }), { mode: 0o600 });
  const { client } = started.use(openClient(folders.kubeconfig));
  started.use(await startControllers(client, { ...(hooks && { hooks }) }));

  const running = started.move();
  return {
    title: "embedded API server",
    url: server.url,
    admin: client,
    kubeconfigOf: (user) => server.kubeconfig({ token: server.addUser(user) }),
    problem: () => saving?.problem,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
