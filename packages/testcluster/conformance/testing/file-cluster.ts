import { afterAll, beforeAll } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { type Wire, wire } from "../../apiserver/testing/wire.ts";
import type { Cluster } from "../../cluster/cluster.ts";

interface FileCluster {
  readonly cluster: Cluster;
  /** Plain HTTP requests as the administrator. */
  readonly admin: Wire;
}

/** One cluster for all tests of a file; available inside of tests. */
export function fileCluster(start: () => Promise<Cluster>): FileCluster {
  let cluster: Cluster;
  let admin: Wire;
  beforeAll(async () => {
    cluster = await start();
    admin = wire(cluster, { token: cluster.adminToken });
  }, 30_000);
  afterAll(() => cluster[Symbol.asyncDispose]());
  return {
    get cluster() {
      return cluster;
    },
    get admin() {
      return admin;
    },
  };
}

/** Waits until objects of a new custom kind can be listed: a server begins to serve them a moment after their definition. */
export async function untilServed(admin: Wire, path: string): Promise<void> {
  await until(`${path} is served`, async () => (await admin.get(path)).code === 200, 20_000);
}
