import {
  type Client,
  type KubeObject,
  PersistentVolume,
  PersistentVolumeClaim,
  type Resource,
  VolumeAttachment,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { driverData } from "../deploy/driver-data.ts";

const kinds: readonly Resource<KubeObject>[] = [
  PersistentVolumeClaim,
  PersistentVolume,
  VolumeAttachment,
  VolumeSnapshot,
  VolumeSnapshotContent,
];

/** The objects of volumes, and what the driver keeps: nothing, once all claims and snapshots are deleted. */
export async function leftOver(client: Client): Promise<string[]> {
  const objects = await Promise.all(
    kinds.map(async (resource) => {
      const { items } = await client.list(resource);
      return items.map(({ metadata }) => `${resource.kind} ${metadata?.name}`);
    }),
  );
  return [...objects.flat(), ...driverData().map((name) => `data of the driver: ${name}`)];
}

export async function objectCounts(client: Client): Promise<Record<string, number>> {
  const counts = await Promise.all(kinds.map(async (resource) => [resource.kind, (await client.list(resource)).items.length] as const));
  return Object.fromEntries([...counts, ["driver data", driverData().length]]);
}
