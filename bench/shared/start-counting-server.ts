import { kubeconfigFor } from "../../packages/testcluster/apiserver/access/kubeconfig.ts";
import { startEmbeddedCluster } from "../../packages/testcluster/cluster/embedded-cluster.ts";
import { startControlPlane } from "../../packages/testcluster/real/control-plane.ts";
import { AuditLog, apiRequest } from "./audit-log.ts";
import { type CountingServer, countingServer, makeAdministrators, type StartedServer } from "./counting-server.ts";
import type { ServerKind } from "./server.ts";
import type { Workbench } from "./workbench.ts";

/** What a counting server runs besides the API. */
export interface CountingServerOptions {
  /** How many users of their own the subjects need. */
  readonly users: number;
  /** Whether the storage controllers of a cluster run: claims get bound, and unused volumes released. */
  readonly storageControllers: boolean;
}

type Started = StartedServer & AsyncDisposable;

/** Starts an API server that records the requests of each user. */
export async function startCountingServer(bench: Workbench, kind: ServerKind, options: CountingServerOptions): Promise<CountingServer> {
  const starting = kind === "real" ? startReal(options) : startEmbedded(options);
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

async function startReal({ users, storageControllers }: CountingServerOptions): Promise<Started> {
  const names = Array.from({ length: users }, (_, index) => `subject-${index + 1}`);
  const plane = await startControlPlane({ env: process.env, users: names, storageControllers });
  const log = new AuditLog(plane.auditLog, names);
  const kubeconfig = (token: string) => kubeconfigFor(plane.url, plane.caPem, { token });
  return {
    adminKubeconfig: kubeconfig(plane.adminToken),
    users: names.map((name) => ({ name, kubeconfig: kubeconfig(plane.tokenOf(name)) })),
    requests: async (user) => log.requestsOf(user),
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

async function startEmbedded({ users: count, storageControllers }: CountingServerOptions): Promise<Started> {
  const cluster = await startEmbeddedCluster({ storageControllers, nodes: false });
  const users = Array.from({ length: count }, () => cluster.newUser());
  return {
    adminKubeconfig: cluster.kubeconfig(cluster.adminToken),
    users: users.map(({ name, token }) => ({ name, kubeconfig: cluster.kubeconfig(token) })),
    requests: async (user) => (await cluster.requests({ user })).map(apiRequest),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
