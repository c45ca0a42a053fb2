import { writeFileSync } from "node:fs";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, userAgent } from "@csi-sidecars/kube";
import { kubeconfigFor } from "../../packages/testcluster/apiserver/access/kubeconfig.ts";
import { startEmbeddedCluster } from "../../packages/testcluster/cluster/embedded-cluster.ts";
import { startControlPlane } from "../../packages/testcluster/real/control-plane.ts";
import type { Asked, CountingServer, User } from "../attach/server.ts";
import { AuditTrail } from "../shared/audit-trail.ts";
import type { Flavour } from "../shared/server.ts";
import type { Workbench } from "../shared/workbench.ts";

/** An API server with the storage controllers of a cluster: claims get bound, released volumes are found. */
export interface StorageServer extends CountingServer {
  /** Without a limit. */
  readonly admin: Client;
}

/** Kubeconfigs are texts here. */
interface Started extends AsyncDisposable {
  readonly adminKubeconfig: string;
  readonly users: readonly User[];
  requests(user: string): Promise<readonly Asked[]>;
}

/** Starts a server that knows so many users, who may do everything and whose requests are told apart. */
export async function startStorageServer(bench: Workbench, flavour: Flavour, users: number): Promise<StorageServer> {
  const starting = flavour === "real" ? startReal(users) : startEmbedded(users);
  // Also when ctrl-C comes while it starts.
  bench.defer(async () => (await starting.catch(() => undefined))?.[Symbol.asyncDispose]());
  const started = await starting;
  const save = (name: string, text: string) => {
    const path = bench.path(`kubeconfig-${name}`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const adminKubeconfig = save("admin", started.adminKubeconfig);
  const transport = connect(loadConfig({ kubeconfig: adminKubeconfig, env: {} }), {
    userAgent: userAgent({ name: "bench", version: "v0.0.0" }),
  });
  bench.defer(async () => transport.close());
  const admin = createClient({ transport, clock: systemClock, log: silentLogger, name: "bench", qps: -1, burst: 0 });
  await makeAdministrators(
    admin,
    started.users.map(({ name }) => name),
  );
  const free = started.users.values();
  return {
    ...{ admin, adminKubeconfig },
    newUser() {
      const { value } = free.next();
      if (!value) throw new Error("the API server has no more users");
      return { name: value.name, kubeconfig: save(value.name, value.kubeconfig) };
    },
    requests: ({ name }) => started.requests(name),
  };
}

async function startReal(count: number): Promise<Started> {
  const names = Array.from({ length: count }, (_, index) => `subject-${index + 1}`);
  const plane = await startControlPlane({ env: process.env, users: names, storageControllers: true });
  const trail = new AuditTrail(plane.auditLog, names);
  const kubeconfig = (token: string) => kubeconfigFor(plane.url, plane.caPem, { token });
  return {
    adminKubeconfig: kubeconfig(plane.adminToken),
    users: names.map((name) => ({ name, kubeconfig: kubeconfig(plane.tokenOf(name)) })),
    requests: async (user) => trail.requestsOf(user),
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
}

async function startEmbedded(count: number): Promise<Started> {
  const cluster = await startEmbeddedCluster({ storageControllers: true, nodes: false });
  const users = Array.from({ length: count }, () => cluster.newUser());
  return {
    adminKubeconfig: cluster.kubeconfig(cluster.adminToken),
    users: users.map(({ name, token }) => ({ name, kubeconfig: cluster.kubeconfig(token) })),
    async requests(user) {
      const requests = await cluster.requests({ user });
      return requests.map(({ verb, resource, subresource, code, at }) => ({
        what: `${verb} ${resource}${subresource && `/${subresource}`}`,
        ...{ verb, resource, code, at },
      }));
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

async function makeAdministrators(admin: Client, names: readonly string[]): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  await admin.raw("POST", `/apis/${rbac}/v1/clusterrolebindings`, {
    ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name: "subjects" } },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
    subjects: names.map((name) => ({ apiGroup: rbac, kind: "User", name })),
  });
}
