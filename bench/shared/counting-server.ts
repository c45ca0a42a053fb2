import { writeFileSync } from "node:fs";
import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, userAgent } from "@csi-sidecars/kube";
import type { Asked } from "./asked.ts";
import type { Workbench } from "./workbench.ts";

/** Somebody who may do everything and whose requests are told from others'. */
export interface User {
  readonly name: string;
  /** A path. */
  readonly kubeconfig: string;
}

/** An API server that tells who asked it for what. */
export interface CountingServer {
  /** Without a limit. */
  readonly admin: Client;
  /** Somebody nobody was yet. */
  newUser(): User;
  /** What the user asked since the server was started, watches included. */
  requests(user: User): Promise<readonly Asked[]>;
}

/** A server that was started, with kubeconfigs as texts. */
export interface StartedServer {
  readonly adminKubeconfig: string;
  readonly users: readonly User[];
  requests(user: string): Promise<readonly Asked[]>;
}

/** Writes the kubeconfigs down and connects the administrator; all of it goes away with the workbench. */
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

/** Lets users do everything, as an administrator may. */
export async function makeAdministrators(admin: Client, names: readonly string[]): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  await admin.raw("POST", `/apis/${rbac}/v1/clusterrolebindings`, {
    ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name: "subjects" } },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
    subjects: names.map((name) => ({ apiGroup: rbac, kind: "User", name })),
  });
}
