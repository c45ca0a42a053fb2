import type { Cluster, ClusterOptions } from "./cluster.ts";
import { startEmbeddedCluster } from "./embedded-cluster.ts";
import { type SharedControlPlane, startSharedControlPlane } from "./real-cluster.ts";

/** Real control planes that are up, by the controllers they run: starting one takes seconds, emptying it milliseconds. */
const shared = new Map<string, Promise<SharedControlPlane>>();

/**
 * A cluster for one test: embedded, or with `TESTCLUSTER=real` a real control plane.
 *
 * ```ts
 * await using cluster = await startCluster();
 * await cluster.admin.create(PersistentVolume, volume("data"));
 * ```
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (process.env.TESTCLUSTER !== "real" || options.older) return startEmbeddedCluster(options);
  if (options.own) return exclusive(await startSharedControlPlane(options, process.env), options);
  const { storageControllers = false, nodes = storageControllers } = options;
  const key = JSON.stringify({ storageControllers, nodes });
  const plane = shared.get(key) ?? startSharedControlPlane(options, process.env);
  shared.set(key, plane);
  return (await plane).acquire(options);
}

/** Ends the control planes that tests shared; to be called when the last test is over. */
export async function stopSharedClusters(): Promise<void> {
  const planes = [...shared.values()];
  shared.clear();
  await Promise.all(planes.map(async (plane) => (await plane)[Symbol.asyncDispose]()));
}

async function exclusive(plane: SharedControlPlane, options: ClusterOptions): Promise<Cluster> {
  const cluster = await plane.acquire(options);
  return { ...cluster, [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose]() };
}
