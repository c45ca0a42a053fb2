import { startApiServer } from "../apiserver/api-server.ts";
import type { Cluster, ClusterOptions } from "./cluster.ts";
import { Connections } from "./connections.ts";

export async function startEmbeddedCluster(_options: ClusterOptions): Promise<Cluster> {
  const server = await startApiServer();
  const kubeconfig = (token: string) => server.kubeconfig({ token });
  const connections = new Connections(kubeconfig);
  let users = 0;

  return {
    flavour: "embedded",
    embedded: server,
    url: server.url,
    caPem: server.caPem,
    adminToken: server.adminToken,
    admin: connections.client(server.adminToken, "admin"),
    newUser() {
      const name = `user-${++users}`;
      return { name, token: server.addUser(name) };
    },
    transport: (token) => connections.transport(token),
    kubeconfig,
    requests: async (filter) => server.requests.find(filter),
    compact: async () => server.compact(),
    stop: (how) => server.stop(how),
    start: () => server.start(),
    async [Symbol.asyncDispose]() {
      connections.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
