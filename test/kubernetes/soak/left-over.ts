import { readdirSync } from "node:fs";
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

const kinds: readonly Resource<KubeObject>[] = [
  PersistentVolumeClaim,
  PersistentVolume,
  VolumeAttachment,
  VolumeSnapshot,
  VolumeSnapshotContent,
];

/** Where the hostpath driver keeps volumes and snapshots. */
const driverData = "/var/lib/csi-hostpath-data";

/** The objects of volumes, and what the driver keeps: nothing, once all claims and snapshots are deleted. */
export async function leftOver(client: Client): Promise<string[]> {
  const objects = await Promise.all(
    kinds.map(async (resource) => {
      const { items } = await client.list(resource);
      return items.map(({ metadata }) => `${resource.kind} ${metadata?.name}`);
    }),
  );
  return [...objects.flat(), ...dataOfDriver().map((name) => `data of the driver: ${name}`)];
}

export async function objectCounts(client: Client): Promise<Record<string, number>> {
  const counts = await Promise.all(kinds.map(async (resource) => [resource.kind, (await client.list(resource)).items.length] as const));
  return Object.fromEntries([...counts, ["driver data", dataOfDriver().length]]);
}

/** A folder for each volume, a file for each snapshot; the driver's own files have other names. */
function dataOfDriver(): string[] {
  return readdirSync(driverData).filter((name) => /^[0-9a-f]{8}-/.test(name));
}
