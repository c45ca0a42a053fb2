import { writeFileSync } from "node:fs";
import { messageOf } from "@csi-sidecars/base";
import { startApiServer } from "@csi-sidecars/testcluster";
import { Refusal } from "../refusal.ts";
import { saveCluster } from "../state/cluster-file.ts";
import type { ClusterShape } from "../state/note.ts";
import type { Workplace } from "../state/workplace.ts";
import { openClient, type PlaygroundCluster, sidecarUser } from "./cluster.ts";
import { type ControllersPlan, startControllers } from "./start-controllers.ts";

export interface EmbeddedPlan extends Pick<ControllersPlan, "hooks"> {
  readonly port: number;
  readonly shape: ClusterShape;
  readonly workplace: Workplace;
}

/** Requests that are remembered: nobody asks for them here. */
const keepRequests = 100;

/** The API server of the test cluster, in this process. */
export async function startEmbedded({ port, shape, workplace, hooks }: EmbeddedPlan): Promise<PlaygroundCluster> {
  await using started = new AsyncDisposableStack();
  const { clusterFile, note } = workplace;
  const kept = { ...(clusterFile && { dataFile: clusterFile }), ...(note?.authority && { authority: note.authority }) };
  const server = await startApiServer({
    port,
    keepRequests,
    gracefulPods: true,
    garbageCollector: true,
    ...kept,
    ...(note && { adminToken: note.adminToken }),
  }).catch((error: unknown) => {
    throw clusterFile === undefined ? error : new Refusal(`--state: cannot continue from ${clusterFile}: ${messageOf(error)}`);
  });
  started.defer(() => server.stop("graceful"));
  const { adminToken, authority } = server;
  workplace.keep({ shape, adminToken, authority });
  const saving = clusterFile === undefined ? undefined : started.use(saveCluster(server, clusterFile));
  writeFileSync(workplace.kubeconfig, server.kubeconfig({ token: adminToken }), { mode: 0o600 });
  const { client } = started.use(openClient(workplace.kubeconfig));
  started.use(await startControllers(client, { ...(hooks && { hooks }) }));

  const running = started.move();
  return {
    title: "embedded API server",
    url: server.url,
    admin: client,
    sidecarKubeconfig: server.kubeconfig({ token: server.addUser(sidecarUser) }),
    problem: () => saving?.problem,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
