import { writeFileSync } from "node:fs";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, userAgent } from "@csi-sidecars/kube";
import { type ApiServer, startApiServer, startStorageControllers } from "@csi-sidecars/testcluster";
import { installDriver } from "./cluster-objects.ts";
import { Refusal } from "./options.ts";
import type { Workplace } from "./workplace.ts";

/** The API server with everything around it that is not the driver's. */
export interface PlaygroundCluster extends AsyncDisposable {
  readonly server: ApiServer;
  readonly admin: Client;
}

export interface ClusterPlan {
  readonly port: number;
  readonly nodes: readonly string[];
  readonly workplace: Workplace;
}

/** Requests that are remembered: enough for the rate of some seconds. */
const keepRequests = 5_000;

export async function startPlaygroundCluster({ port, nodes, workplace }: ClusterPlan): Promise<PlaygroundCluster> {
  await using started = new AsyncDisposableStack();
  const server = await startApiServer({ port, keepRequests, ...workplace.kept }).catch((error: unknown) => {
    throw refusalOf(error, port);
  });
  started.defer(() => server.stop("graceful"));
  workplace.keep(server);
  writeFileSync(workplace.kubeconfig, server.kubeconfig({ token: server.adminToken }), { mode: 0o600 });

  const config = loadConfig({ kubeconfig: workplace.kubeconfig, env: {} });
  const transport = connect(config, { userAgent: userAgent({ name: "playground", version: "v0.0.0" }) });
  started.defer(() => transport.close());
  const admin = createClient({ transport, clock: systemClock, log: silentLogger, name: "playground", qps: -1, burst: 0 });
  await installDriver(admin, nodes);

  const stop = new AbortController();
  const controllers = await startStorageControllers({ client: admin, signal: stop.signal });
  started.defer(async () => {
    stop.abort();
    await controllers.done;
  });
  const running = started.move();
  return { server, admin, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function refusalOf(error: unknown, port: number): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return new Refusal(`--port: 127.0.0.1:${port} is in use; give another port, or none for a free one`);
  if (code === "EACCES") return new Refusal(`--port: 127.0.0.1:${port} needs privileges; give a port from 1024 on`);
  return error;
}
