import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, createClient, type Transport } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";

/** A client without a limit of its own. */
export const clientOver = (transport: Transport, name = "test"): Client =>
  createClient({ transport, clock: systemClock, log: silentLogger, name, qps: -1, burst: 0 });

export const clientOf = (cluster: Cluster, token: string): Client => clientOver(cluster.transport(token));
