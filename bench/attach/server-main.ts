// An API server that records the requests of each user. Its first line of output has the administrator's kubeconfig and those of as
// many further administrators as its argument says. Each line it reads names a user; the answer is one line with that user's
// requests. Exits when its standard input ends.
import { createInterface } from "node:readline";
import { startCluster } from "@csi-sidecars/testcluster";
import { apiRequest } from "../shared/audit-log.ts";
import { makeAdministrators } from "../shared/counting-server.ts";
import { report } from "../shared/report.ts";

process.on("SIGINT", () => {}); // Ctrl-C is meant for the benchmark, which then ends this process.
await using cluster = await startCluster({ own: true });
const users = Array.from({ length: Number(process.argv[2] ?? 0) }, () => cluster.newUser());
await makeAdministrators(
  cluster.admin,
  users.map(({ name }) => name),
);
report({
  admin: cluster.kubeconfig(cluster.adminToken),
  users: users.map(({ name, token }) => ({ name, kubeconfig: cluster.kubeconfig(token) })),
});
for await (const user of createInterface(process.stdin)) {
  report((await cluster.requests({ user })).map(apiRequest));
}
