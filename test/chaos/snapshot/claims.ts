import { snapshotDefinitions } from "@csi-sidecars/crds";
import { mergePatch, PersistentVolume, PersistentVolumeClaim, VolumeGroupSnapshotClass, VolumeSnapshotClass } from "@csi-sidecars/kube";
import { installDefinitions } from "@csi-sidecars/testcluster";
import { inParallel } from "../../e2e/testing/objects.ts";
import type { World } from "../../e2e/testing/world.ts";
import { inDefault } from "../claims.ts";

export const policies = ["Delete", "Retain"] as const;
export type Policy = (typeof policies)[number];

/** Claims whose label selects them for a group snapshot together. */
export const claimsPerGroup = 3;

/** The kinds, the classes of both policies, and so many groups of bound claims. */
export async function addSources(world: World, groups: number): Promise<void> {
  const { admin } = world.cluster;
  const { name: driver } = world.driver.settings;
  await installDefinitions(admin, snapshotDefinitions);
  for (const deletionPolicy of policies) {
    const metadata = { name: deletionPolicy.toLowerCase() };
    await admin.create(VolumeSnapshotClass, { metadata, driver, deletionPolicy });
    await admin.create(VolumeGroupSnapshotClass, { metadata, driver, deletionPolicy });
  }
  const claims = Array.from({ length: groups * claimsPerGroup }, (_, index) => index);
  await inParallel(claims, (index) => addBoundClaim(world, index));
}

export const claimName = (index: number) => `data-${index}`;
export const groupOfClaim = (index: number) => `set-${Math.floor(index / claimsPerGroup)}`;

async function addBoundClaim({ cluster: { admin }, driver }: World, index: number): Promise<void> {
  const name = claimName(index);
  driver.addVolume({ id: name });
  const size = { storage: "1Gi" };
  const shape = { accessModes: ["ReadWriteOnce" as const], storageClassName: "" };
  const { metadata } = await admin.create(PersistentVolumeClaim, {
    metadata: { ...inDefault(name), labels: { set: groupOfClaim(index) } },
    spec: { ...shape, resources: { requests: size }, volumeName: name },
  });
  await admin.create(PersistentVolume, {
    metadata: { name },
    spec: {
      ...{ ...shape, capacity: size, persistentVolumeReclaimPolicy: "Retain" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault(name), uid: metadata?.uid },
      csi: { driver: driver.settings.name, volumeHandle: name },
    },
  });
  const status = mergePatch({ status: { phase: "Bound", capacity: size } });
  await admin.patch(PersistentVolumeClaim, inDefault(name), status, { subresource: "status" });
}
