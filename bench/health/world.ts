import { snapshotDefinitions } from "@csi-sidecars/crds";
import { type Client, Event, mergePatch, Node } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { type FleetDriver, startFleetDriver } from "../shared/fleet/driver.ts";
import { inParallel } from "../shared/in-parallel.ts";
import { createPod } from "../shared/pods.ts";
import { createAttached, createNamespaces } from "../shared/seed-volumes.ts";
import type { ServerKind } from "../shared/server.ts";
import { startCountingServer } from "../shared/start-counting-server.ts";
import { driverName, nodeCount, volumeNode } from "../shared/volumes.ts";
import type { Workbench } from "../shared/workbench.ts";
import { createLeases, type Surroundings } from "../shared/world.ts";

/** A cluster with a driver that knows how its volumes are. */
export interface HealthWorld extends Surroundings {
  readonly driver: FleetDriver;
  /** The same driver, but it answers for one volume at a time. */
  readonly notListing: FleetDriver;
}

const parallelism = 50;

/** An API server without controllers, without a volume. */
export async function startWorld(bench: Workbench, kind: ServerKind, users: number): Promise<HealthWorld> {
  const server = await startCountingServer(bench, kind, { users, storageControllers: false });
  const { admin } = server;
  await installDefinitions(admin, snapshotDefinitions);
  await createLeases(admin, `external-health-monitor-leader-${driverName}`);
  await createNamespaces(admin);
  const others = ["CREATE_DELETE_VOLUME", "PUBLISH_UNPUBLISH_VOLUME", "EXPAND_VOLUME", "CREATE_DELETE_SNAPSHOT"] as const;
  const listing = ["LIST_VOLUMES", "LIST_VOLUMES_PUBLISHED_NODES", "GET_VOLUME", "VOLUME_CONDITION", ...others] as const;
  return {
    ...{ bench, server, admin, watched: "persistentvolumeclaims" },
    driver: await startFleetDriver(bench, "listing", listing),
    notListing: await startFleetDriver(bench, "not-listing", ["GET_VOLUME", "VOLUME_CONDITION", ...others]),
  };
}

/** Bound and attached volumes that the driver knows. */
export async function createVolumes({ admin, driver, notListing }: HealthWorld, volumes: number): Promise<void> {
  await inParallel(volumes, parallelism, (index) => createAttached(admin, index));
  for (const one of [driver, notListing]) await one.order({ volumes });
}

/** The node number `index`, which is ready. */
async function createNode(admin: Client, index: number): Promise<void> {
  const name = volumeNode(index);
  await admin.create(Node, { metadata: { name } });
  const status = { conditions: [{ type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }] };
  await admin.patch(Node, { name }, mergePatch({ status }), { subresource: "status" });
}

export async function createNodes({ admin }: HealthWorld, nodes: number): Promise<void> {
  await inParallel(nodes, parallelism, (index) => createNode(admin, index));
}

export async function deleteNodes({ admin }: HealthWorld, nodes: number): Promise<void> {
  await inParallel(nodes, parallelism, (index) => admin.delete(Node, { name: volumeNode(index) }));
}

/** Running pods on the first `nodes` nodes, each with a claim of its own. */
export async function createPods({ admin }: HealthWorld, pods: number, nodes: number): Promise<void> {
  await inParallel(pods, parallelism, (index) => createPod(admin, claimOnNodes(index, nodes)));
}

/** The number of the claim that is the one number `index` of those on the first `nodes` nodes. */
export function claimOnNodes(index: number, nodes: number): number {
  return Math.floor(index / nodes) * nodeCount + (index % nodes);
}

/** Removes what subjects have told about claims, so that the next one does not see it. */
export async function deleteEvents({ admin }: HealthWorld): Promise<void> {
  const { items } = await admin.list(Event);
  await inParallel(items.length, parallelism, async (index) => {
    const { name = "", namespace } = items[index]?.metadata ?? {};
    await admin.delete(Event, { name, namespace });
  });
}
