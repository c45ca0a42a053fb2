import { snapshotDefinitions } from "@csi-sidecars/crds";
import { connectDriver } from "@csi-sidecars/csi";
import { mergePatch, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import { boundClaim, type ClaimOptions, createClaim, inDefault } from "./claims.ts";

/** The volume that the snapshot was taken of. It has no claim. */
export const imageVolume = "image";

/** Data sources: a claim that stays, one that is deleted meanwhile, and a snapshot. */
export const sources = {
  staying: { dataSource: { kind: "PersistentVolumeClaim", name: "origin" } },
  deleted: { dataSource: { kind: "PersistentVolumeClaim", name: "origin-deleted" } },
  snapshot: { dataSource: { apiGroup: VolumeSnapshot.group, kind: "VolumeSnapshot", name: "backup" } },
} satisfies Record<string, ClaimOptions>;

/**
 * Creates the claims before the chaos starts; the provisioner must run. The one that stays is a clone of the other, which is protected
 * from then on: a source that is deleted before the first clone starts is gone at once, and its clones are never created.
 */
export async function addSources({ cluster }: World): Promise<void> {
  const [first, second] = [sources.deleted.dataSource.name, sources.staying.dataSource.name];
  await createClaim(cluster, first);
  await boundClaim(cluster, first);
  await createClaim(cluster, second, sources.deleted);
  await boundClaim(cluster, second);
}

/** A snapshot to restore. Its CRDs must exist before the provisioner starts. */
export async function addSnapshot({ cluster: { admin }, driver }: World): Promise<void> {
  await installDefinitions(admin, snapshotDefinitions);
  driver.addVolume({ id: imageVolume, name: imageVolume });
  using connection = await connectDriver({ address: driver.address });
  const request = { name: "backup", sourceVolumeId: imageVolume };
  const make = () => connection.driver.controller.createSnapshot(request, { timeoutMs: 1_000 }).catch(() => false as const);
  const { snapshot } = await until("the driver's snapshot", make);
  const ref = inDefault("backup");
  const spec = { source: { volumeSnapshotContentName: "content" } };
  const { metadata } = await admin.create(VolumeSnapshot, { metadata: ref, spec });
  const volumeSnapshotRef = { ...ref, uid: metadata?.uid };
  const source = { snapshotHandle: snapshot?.snapshotId };
  const { name: driverName } = driver.settings;
  const contentSpec = { deletionPolicy: "Retain" as const, driver: driverName, source, volumeSnapshotRef, sourceVolumeMode: "Filesystem" };
  await admin.create(VolumeSnapshotContent, { metadata: { name: "content" }, spec: contentSpec });
  const contentStatus = mergePatch({ status: { snapshotHandle: snapshot?.snapshotId, readyToUse: true } });
  await admin.patch(VolumeSnapshotContent, { name: "content" }, contentStatus, { subresource: "status" });
  const status = { boundVolumeSnapshotContentName: "content", readyToUse: true, restoreSize: "1Gi" };
  await admin.patch(VolumeSnapshot, ref, mergePatch({ status }), { subresource: "status" });
}
