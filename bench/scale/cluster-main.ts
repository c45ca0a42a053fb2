// A process that is nothing but the embedded API server with a large cluster. It carries out one order for each line; ends when its standard input does.
import { createInterface } from "node:readline";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { electionNames } from "@csi-sidecars/kube";
import type { ApiServer, Cluster } from "@csi-sidecars/testcluster";
import { startEmbeddedCluster } from "../../packages/testcluster/cluster/embedded-cluster.ts";
import { report } from "../shared/report.ts";
import { driverName } from "../shared/volumes.ts";
import { changedObject, objectsBetween } from "./objects.ts";
import type { Done, Order, Ready, Size } from "./orders.ts";

await using cluster = await startEmbeddedCluster({ storageControllers: false, nodes: false, definitions: snapshotDefinitions });
const server = embeddedServer(cluster);
const users = Array.from({ length: Number(process.argv[2]) }, (_, index) => {
  const name = `subject-${index}`;
  return { name, kubeconfig: server.kubeconfig({ token: server.addUser(name, ["system:masters"]) }) };
});
// Who has to create its lease waits for a former leader first.
const { leaseName } = electionNames(`csi-sidecars-${driverName}`, "");
server.seed([{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { namespace: "default", name: leaseName }, spec: {} }]);
let size: Size = { volumes: 0, nodes: 0, pods: 0 };
let changes = 0;

function embeddedServer({ embedded }: Cluster): ApiServer {
  if (!embedded) throw new Error("the cluster is not an embedded one");
  return embedded;
}

function longestGap(user: string, since: number): number {
  const renewals = server.requests.find({ user, resource: "leases" }).filter(({ verb, at }) => verb !== "get" && at >= since);
  const moments = [since, ...renewals.map(({ at }) => at), Date.now()];
  return Math.max(...moments.slice(1).map((at, index) => at - (moments[index] ?? at)));
}

async function obey(order: Order): Promise<Done> {
  if ("grow" in order) {
    server.seed(objectsBetween(size, order.grow));
    size = order.grow;
  } else if ("change" in order) {
    changes++;
    for (let index = 0; index < order.events; index++) server.seed([changedObject(order.change, index, size, changes)]);
  } else if ("restart" in order) {
    await server.stop("abrupt");
    await server.start();
  } else return { longestGapMs: longestGap(order.leaseOf, order.since) };
  return { longestGapMs: 0 };
}

report({ users } satisfies Ready);
for await (const line of createInterface(process.stdin)) report(await obey(JSON.parse(line)));
