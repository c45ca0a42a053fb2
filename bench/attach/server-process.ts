// An API server that tells who asked it for what. Prints kubeconfigs as its first line: the administrator's, and those of as many
// users as its argument says, who may do everything too. Each line it reads names a user; the answer is one line, that user's
// requests. Ends when its standard input does.
import { createInterface } from "node:readline";
import { startCluster } from "@csi-sidecars/testcluster";
import { askedOf } from "../shared/asked.ts";
import { makeAdministrators } from "../shared/counting-server.ts";
import { report } from "../shared/report.ts";

process.on("SIGINT", () => {}); // Meant for the benchmark, which then ends this one as always.
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
  report((await cluster.requests({ user })).map(askedOf));
}
