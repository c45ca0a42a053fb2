import { randomUUID } from "node:crypto";
import { matchesRequest } from "../apiserver/request-log.ts";
import { type ControlPlane, startControlPlane } from "../real/control-plane.ts";
import { auditedRequests, auditLogReaches, endOfAuditLog } from "./audit-log.ts";
import type { Cluster, ClusterOptions, TestUser } from "./cluster.ts";
import { controllersUser, startClusterControllers } from "./cluster-controllers.ts";
import { Connections } from "./connections.ts";
import { emptyCluster, inventory, storageKey } from "./empty-cluster.ts";
import { ServedDefinitions } from "./served-definitions.ts";

/** More than any run of the tests asks for: a real server reads its tokens only at the start. */
const userNames = Array.from({ length: 10_000 }, (_, index) => `user-${index + 1}`);

/** A control plane that several tests use one after the other. */
export interface SharedControlPlane extends AsyncDisposable {
  /** A cluster for one test, with the custom kinds that it asks for; disposing of it removes all objects. */
  acquire(options: Pick<ClusterOptions, "definitions">): Promise<Cluster>;
}

export async function startSharedControlPlane(options: ClusterOptions, env: NodeJS.ProcessEnv): Promise<SharedControlPlane> {
  await using started = new AsyncDisposableStack();
  const { storageControllers = false } = options;
  const plane = started.use(
    await startControlPlane({ env, users: userNames, admins: [controllersUser], storageControllers, binderSync: "1s" }),
  );
  const { kubeconfig } = plane;
  const connections = started.adopt(new Connections(kubeconfig), (open) => open.close());
  started.use(await startClusterControllers(connections.client(plane.tokenOf(controllersUser), controllersUser), options, "real"));
  const served = new ServedDefinitions(connections.client(plane.adminToken, "admin"), plane.etcd, await inventory(plane.etcd));
  const names = userNames.values();
  const nextUser = (): TestUser => {
    const name = names.next().value;
    if (name === undefined) throw new Error(`the control plane has no more than ${userNames.length} users`);
    return { name, token: plane.tokenOf(name) };
  };
  const running = started.move();
  return {
    async acquire({ definitions = [] }) {
      await served.serve(definitions);
      return clusterOn(plane, kubeconfig, served, nextUser);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function clusterOn(
  plane: ControlPlane,
  kubeconfig: (token: string) => string,
  served: ServedDefinitions,
  newUser: () => TestUser,
): Cluster {
  const connections = new Connections(kubeconfig);
  const admin = connections.client(plane.adminToken, "admin");
  const from = endOfAuditLog(plane.auditLog);
  // The server writes its log late: lines of the cluster before this one may still come.
  const since = Date.now();
  return {
    flavour: "real",
    url: plane.url,
    caPem: plane.caPem,
    admin,
    adminToken: plane.adminToken,
    newUser,
    transport: (token) => connections.transport(token),
    kubeconfig,
    async requests({ code, ...match } = {}) {
      const mark = randomUUID();
      await admin.raw("GET", `/version?mark=${mark}`);
      await auditLogReaches(plane.auditLog, from, mark);
      return auditedRequests(plane.auditLog, from).filter(
        (request) => request.at >= since && matchesRequest(match, request) && (code === undefined || request.code === code),
      );
    },
    compact: () => plane.etcd.compact(),
    removeUnderFinalizers: (resource, ref) => plane.etcd.delete([storageKey(resource, ref)]),
    stop: (how) => plane.stopServer(how === "abrupt" ? "SIGKILL" : "SIGTERM"),
    start: () => plane.startServer(),
    async [Symbol.asyncDispose]() {
      await emptyCluster(admin, plane.etcd, served.keep);
      connections.close();
    },
  };
}
