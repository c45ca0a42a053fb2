import { writeFileSync } from "node:fs";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, userAgent } from "@csi-sidecars/kube";
import type { ApiRequest } from "./audit-log.ts";
import type { Workbench } from "./workbench.ts";

/** An administrator whose requests can be told from those of others. */
export interface User {
  readonly name: string;
  /** A path. */
  readonly kubeconfig: string;
}

/** An API server that records the requests of each user. */
export interface CountingServer {
  /** Without a client-side rate limit. */
  readonly admin: Client;
  /** A user that no subject has had yet. */
  newUser(): User;
  /** The requests of the user since the server was started, watches included. */
  requests(user: User): Promise<readonly ApiRequest[]>;
}

/** A running server, with kubeconfigs as text. */
export interface StartedServer {
  readonly adminKubeconfig: string;
  readonly users: readonly User[];
  requests(user: string): Promise<readonly ApiRequest[]>;
}

/** Writes the kubeconfigs to files and connects the administrator. All of it is removed with the workbench. */
export function countingServer(bench: Workbench, started: StartedServer): CountingServer {
  const save = (name: string, text: string) => {
    const path = bench.path(`kubeconfig-${name}`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const free = started.users.values();
  return {
    admin: adminClient(bench, save("admin", started.adminKubeconfig)),
    newUser() {
      const { value } = free.next();
      if (!value) throw new Error("the API server has no more users");
      return { name: value.name, kubeconfig: save(value.name, value.kubeconfig) };
    },
    requests: ({ name }) => started.requests(name),
  };
}

function adminClient(bench: Workbench, kubeconfig: string): Client {
  const transport = connect(loadConfig({ kubeconfig, env: {} }), { userAgent: userAgent({ name: "bench", version: "v0.0.0" }) });
  bench.defer(async () => transport.close());
  return createClient({ transport, clock: systemClock, log: silentLogger, name: "bench", qps: -1, burst: 0 });
}

/** Binds users to cluster-admin. */
export async function makeAdministrators(admin: Client, names: readonly string[]): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  await admin.raw("POST", `/apis/${rbac}/v1/clusterrolebindings`, {
    ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name: "subjects" } },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
    subjects: names.map((name) => ({ apiGroup: rbac, kind: "User", name })),
  });
}
