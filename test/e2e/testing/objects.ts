import { CSINode, Node, PersistentVolume, type V1VolumeAttachment, VolumeAttachment } from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { until } from "./until.ts";
import type { World } from "./world.ts";

/** A node with these drivers on it. */
export async function addNode(cluster: Cluster, name: string, ...drivers: string[]): Promise<void> {
  await cluster.admin.create(Node, { metadata: { name } });
  await cluster.admin.create(CSINode, {
    metadata: { name },
    spec: { drivers: drivers.map((driver) => ({ name: driver, nodeID: `id-${name}` })) },
  });
}

/** Creates a volume in the driver, and its PersistentVolume. */
export async function addVolume(world: World, name: string, csi: object = {}): Promise<void> {
  const { name: driver } = world.driver.settings;
  world.driver.addVolume({ id: `id-${name}`, name });
  await world.cluster.admin.create(PersistentVolume, {
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver, volumeHandle: `id-${name}`, ...csi },
    },
  });
}

/** Creates a VolumeAttachment, as the attach/detach controller does for a pod. */
export async function attach(cluster: Cluster, volume: string, node: string, attacher: string): Promise<void> {
  await cluster.admin.create(VolumeAttachment, {
    metadata: { name: `va-${volume}` },
    spec: { attacher, nodeName: node, source: { persistentVolumeName: volume } },
  });
}

/** Creates a volume and waits until it is attached. */
export async function addAndAttach(world: World, volume: string, node: string, limitMs?: number): Promise<void> {
  await addVolume(world, volume);
  await attach(world.cluster, volume, node, world.driver.settings.name);
  await attached(world.cluster, volume, limitMs);
}

export async function attached(cluster: Cluster, volume: string, limitMs?: number): Promise<V1VolumeAttachment> {
  const check = async () => {
    const attachment = await cluster.admin.get(VolumeAttachment, { name: `va-${volume}` });
    return attachment.status?.attached && attachment;
  };
  return until(`${volume} attached`, check, limitMs);
}

/** Deletes a VolumeAttachment, as the attach/detach controller does after the pod. */
export async function detach(cluster: Cluster, volume: string): Promise<void> {
  await cluster.admin.delete(VolumeAttachment, { name: `va-${volume}` });
}

export async function attachments(cluster: Cluster): Promise<readonly V1VolumeAttachment[]> {
  return (await cluster.admin.list(VolumeAttachment)).items;
}

/** Does the work for every item, with limited concurrency. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>, concurrency = 20): Promise<void> {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
    }),
  );
}
