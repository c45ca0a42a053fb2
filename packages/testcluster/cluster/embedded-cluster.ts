import { startApiServer } from "../apiserver/api-server.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import { controllersUser, startClusterControllers } from "./cluster-controllers.ts";
import { Connections } from "./connections.ts";
import { installDefinitions } from "./install-definitions.ts";

export async function startEmbeddedCluster(options: ClusterOptions): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  const server = started.use(await startApiServer({ older: options.older }));
  const kubeconfig = (token: string) => server.kubeconfig({ token });
  const connections = started.adopt(new Connections(kubeconfig), (open) => open.close());
  const controllers = connections.client(server.addUser(controllersUser, ["system:masters"]), controllersUser);
  started.use(await startClusterControllers(controllers, options, "embedded"));
  const admin = connections.client(server.adminToken, "admin");
  await installDefinitions(admin, options.definitions ?? []);
  let users = 0;

  const running = started.move();
  return {
    flavour: "embedded",
    embedded: server,
    url: server.url,
    caPem: server.caPem,
    adminToken: server.adminToken,
    admin,
    newUser() {
      const name = `user-${++users}`;
      return { name, token: server.addUser(name) };
    },
    transport: (token) => connections.transport(token),
    kubeconfig,
    requests: async (filter) => server.requests.find(filter),
    compact: async () => server.compact(),
    async removeUnderFinalizers(resource, ref) {
      server.faults.add({ match: { verb: "delete", resource: resource.plural }, action: { do: "ignoreFinalizers" }, times: 1 });
      await admin.delete(resource, ref);
    },
    stop: (how) => server.stop(how),
    start: () => server.start(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
