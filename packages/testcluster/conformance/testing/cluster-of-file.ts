import { afterAll, beforeAll } from "bun:test";
import { type Wire, wire } from "../../apiserver/testing/wire.ts";
import type { Cluster } from "../../cluster/cluster.ts";

export interface FileCluster {
  readonly cluster: Cluster;
  /** The administrator's bare requests. */
  readonly admin: Wire;
}

/** One cluster for all tests of a file. To be read inside of tests only: it is there when the first one runs. */
export function clusterOfFile(start: () => Promise<Cluster>): FileCluster {
  let cluster: Cluster;
  let admin: Wire;
  beforeAll(async () => {
    cluster = await start();
    admin = wire(cluster, { token: cluster.adminToken });
  });
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
