import { connectDriver } from "@csi-sidecars/csi";
import { type KubeObject, mergePatch, PersistentVolumeClaim, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { presets } from "@csi-sidecars/testcluster";
import { driverName, inDefault } from "../../testing/manifests.ts";
import type { ProvisionerWorld, WorldOptions } from "../../testing/provisioner-world.ts";

const restoring = { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT", "CLONE_VOLUME"] } as const;
/** A driver that restores and clones, and the kinds of snapshots. */
export const options: WorldOptions = { driver: { capabilities: restoring }, customKinds: "snapshots" };
export const snapshotGroup = VolumeSnapshot.group;
/** What a claim for the snapshot asks for. */
export const fromSnapshot = { dataSource: { apiGroup: snapshotGroup, kind: "VolumeSnapshot", name: "backup" } };

/** A snapshot of a volume that the driver has, ready to be restored. */
export async function snapshot(
  world: ProvisionerWorld,
  { namespace = "default", restoreSize = "1Gi", ready = true, mode = "Filesystem" } = {},
): Promise<void> {
  world.driver.addVolume({ id: "source" });
  const { controller } = await connection(world);
  const made = await controller.createSnapshot({ name: "backup", sourceVolumeId: "source" });
  const object = await world.create(VolumeSnapshot, {
    metadata: { name: "backup", namespace, finalizers: ["example.com/other"] },
    spec: { source: {} },
  });
  const volumeSnapshotRef = { name: "backup", namespace, uid: object.metadata?.uid };
  const spec = { driver: driverName, volumeSnapshotRef, sourceVolumeMode: mode };
  await world.create(VolumeSnapshotContent, { metadata: { name: "content" }, spec });
  const patch = (kind: typeof VolumeSnapshot | typeof VolumeSnapshotContent, ref: { name: string; namespace?: string }, status: object) =>
    world.admin.patch<KubeObject>(kind, ref, mergePatch({ status }), { subresource: "status" });
  await patch(VolumeSnapshotContent, { name: "content" }, { snapshotHandle: made.snapshot?.snapshotId });
  await patch(VolumeSnapshot, { name: "backup", namespace }, { boundVolumeSnapshotContentName: "content", readyToUse: ready, restoreSize });
}

async function connection(world: ProvisionerWorld) {
  return (await connectDriver({ address: world.driver.address })).driver;
}

/** Lets claims go that nothing else would. */
export async function removeFinalizers(world: ProvisionerWorld): Promise<void> {
  for (const { metadata } of (await world.admin.list(PersistentVolumeClaim)).items) {
    const ref = { name: metadata?.name ?? "", namespace: metadata?.namespace };
    await world.admin.patch(PersistentVolumeClaim, ref, mergePatch({ metadata: { finalizers: null } }));
  }
}

/** The snapshot's. */
export const finalizersOf = async (world: ProvisionerWorld) =>
  (await world.admin.get(VolumeSnapshot, inDefault("backup"))).metadata?.finalizers;
