import { connectDriver } from "@csi-sidecars/csi";
import { mergePatch, VolumeSnapshot, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { snapshotDefinitions } from "../../packages/testcluster/rules/snapshot-crds/snapshot-crds.ts";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";
import { boundClaim, type ClaimWish, createClaim, inDefault } from "./claims.ts";

/** The volume that the snapshot was made of; it belongs to nobody. */
export const imageVolume = "image";

/** What volumes are filled from: a claim that stays, one that is deleted meanwhile, and a snapshot. */
export const sources = {
  lasting: { dataSource: { kind: "PersistentVolumeClaim", name: "origin" } },
  leaving: { dataSource: { kind: "PersistentVolumeClaim", name: "origin-leaving" } },
  snapshot: { dataSource: { apiGroup: VolumeSnapshot.group, kind: "VolumeSnapshot", name: "backup" } },
} satisfies Record<string, ClaimWish>;

/**
 * Makes them before anything goes wrong; the provisioner must run. The one that stays is a clone of the other, which is protected from
 * then on: a source that is deleted before anybody began to clone it is gone at once, and its clones are never made.
 */
export async function addSources({ cluster }: World): Promise<void> {
  const [first, second] = [sources.leaving.dataSource.name, sources.lasting.dataSource.name];
  await createClaim(cluster, first);
  await boundClaim(cluster, first);
  await createClaim(cluster, second, sources.leaving);
  await boundClaim(cluster, second);
}

/** A snapshot that can be restored. Its kinds must be there before the provisioner begins. */
export async function addSnapshot({ cluster: { admin }, driver }: World): Promise<void> {
  for (const definition of snapshotDefinitions)
    await admin.raw("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  await until("snapshots", () => Promise.all([admin.list(VolumeSnapshot), admin.list(VolumeSnapshotContent)]).catch(() => false));
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
  const contentSpec = { deletionPolicy: "Retain", driver: driverName, source, volumeSnapshotRef, sourceVolumeMode: "Filesystem" };
  await admin.create(VolumeSnapshotContent, { metadata: { name: "content" }, spec: contentSpec });
  const contentStatus = mergePatch({ status: { snapshotHandle: snapshot?.snapshotId, readyToUse: true } });
  await admin.patch(VolumeSnapshotContent, { name: "content" }, contentStatus, { subresource: "status" });
  const status = { boundVolumeSnapshotContentName: "content", readyToUse: true, restoreSize: "1Gi" };
  await admin.patch(VolumeSnapshot, ref, mergePatch({ status }), { subresource: "status" });
}
