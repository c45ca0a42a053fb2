// A process that is nothing but the embedded API server. Prints its kubeconfig as a JSON string; ends when its standard input does.
import { startCluster } from "@csi-sidecars/testcluster";

const cluster = await startCluster();
console.log(JSON.stringify(cluster.kubeconfig(cluster.adminToken)));
process.stdin.on("end", () => process.exit(0)).resume();
