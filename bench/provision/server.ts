import { kubeconfigFor } from "../../packages/testcluster/apiserver/access/kubeconfig.ts";
import { startEmbeddedCluster } from "../../packages/testcluster/cluster/embedded-cluster.ts";
import { startControlPlane } from "../../packages/testcluster/real/control-plane.ts";
import { AuditLog, apiRequest } from "../shared/audit-log.ts";
import { type CountingServer, countingServer, makeAdministrators, type StartedServer } from "../shared/counting-server.ts";
import type { ServerKind } from "../shared/server.ts";
import type { Workbench } from "../shared/workbench.ts";

type Started = StartedServer & AsyncDisposable;

/** Starts an API server with the storage controllers of a cluster: claims get bound, and unused volumes released. */
export async function startStorageServer(bench: Workbench, kind: ServerKind, users: number): Promise<CountingServer> {
  const starting = kind === "real" ? startReal(users) : startEmbedded(users);
  // Also when ctrl-C comes while it starts.
  bench.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
  const started = await starting;
  const server = countingServer(bench, started);
  await makeAdministrators(
    server.admin,
    started.users.map(({ name }) => name),
  );
  return server;
}

async function startReal(count: number): Promise<Started> {
  const names = Array.from({ length: count }, (_, index) => `subject-${index + 1}`);
  const plane = await startControlPlane({ env: process.env, users: names, storageControllers: true });
  const log = new AuditLog(plane.auditLog, names);
  const kubeconfig = (token: string) => kubeconfigFor(plane.url, plane.caPem, { token });
  return {
    adminKubeconfig: kubeconfig(plane.adminToken),
    users: names.map((name) => ({ name, kubeconfig: kubeconfig(plane.tokenOf(name)) })),
    requests: async (user) => log.requestsOf(user),
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

async function startEmbedded(count: number): Promise<Started> {
  const cluster = await startEmbeddedCluster({ storageControllers: true, nodes: false });
  const users = Array.from({ length: count }, () => cluster.newUser());
  return {
    adminKubeconfig: cluster.kubeconfig(cluster.adminToken),
    users: users.map(({ name, token }) => ({ name, kubeconfig: cluster.kubeconfig(token) })),
    requests: async (user) => (await cluster.requests({ user })).map(apiRequest),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
