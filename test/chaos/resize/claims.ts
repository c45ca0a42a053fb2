import {
  CSIDriver,
  ignoreNotFound,
  isAlreadyExists,
  isNotFound,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  VolumeAttributesClass,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import type { World } from "../../e2e/testing/world.ts";
import { inDefault, requestTimeout } from "../claims.ts";
import { insist } from "../insist.ts";
import { bytes, expansions, size, sizes, tiers } from "./storage.ts";

const storageClass = "expandable";

/** The classes of volumes and attributes, and the driver's object: its volumes need not be attached. */
export async function addClasses(world: World): Promise<void> {
  const { admin } = world.cluster;
  const { name: provisioner } = world.driver.settings;
  await admin.create(CSIDriver, { metadata: { name: provisioner }, spec: { attachRequired: false } });
  await admin.create(StorageClass, { metadata: { name: storageClass }, provisioner, allowVolumeExpansion: true });
  for (const tier of [...tiers.feasible, tiers.refused]) await addAttributesClass(world, tier);
}

export async function addAttributesClass({ cluster: { admin }, driver }: World, tier: string): Promise<void> {
  const attributesClass = { metadata: { name: tier }, driverName: driver.settings.name, parameters: { tier } };
  await insist(() => admin.create(VolumeAttributesClass, attributesClass, requestTimeout), isAlreadyExists);
}

/** The name of a volume tells which claim it was made for: `data-7.2` is the second volume of `data-7`. */
export const claimOfVolume = (volume: string) => volume.slice(0, volume.lastIndexOf("."));

/** Makes a volume in the driver, and its PersistentVolume. */
export async function addVolume({ cluster: { admin }, driver }: World, claim: string, generation: number): Promise<string> {
  const name = `${claim}.${generation}`;
  const expansion = expansions[Number(claim.split("-").at(-1)) % expansions.length] ?? "online";
  driver.addVolume({ id: name, capacityBytes: bytes(sizes.initial), parameters: { expansion } });
  const volume: V1PersistentVolume = {
    metadata: { name },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: size(sizes.initial) } },
      ...{ persistentVolumeReclaimPolicy: "Retain", storageClassName: storageClass },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault(claim) },
      csi: { driver: driver.settings.name, volumeHandle: name, fsType: "ext4" },
    },
  };
  await insist(() => admin.create(PersistentVolume, volume, requestTimeout), isAlreadyExists);
  return name;
}

/** Creates a claim for a volume, and binds it as the binder does: with the size that the file system is known to have. */
export async function addClaim({ cluster: { admin } }: World, name: string, volumeName: string): Promise<void> {
  const { metadata, spec } = await insist(() => admin.get(PersistentVolume, { name: volumeName }, requestTimeout));
  const storage = metadata?.annotations?.[wellKnownAnnotation.preResizeCapacity] ?? String(spec?.capacity?.storage);
  const attributesClass = spec?.volumeAttributesClassName;
  const claim: V1PersistentVolumeClaim = {
    metadata: inDefault(name),
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, storageClassName: storageClass, volumeName },
      ...(attributesClass && { volumeAttributesClassName: attributesClass }),
    },
  };
  await insist(() => admin.create(PersistentVolumeClaim, claim, requestTimeout), isAlreadyExists);
  const { uid } = (await readClaim(admin, name)).metadata ?? {};
  const claimRef = mergePatch({ spec: { claimRef: { uid } } });
  await insist(() => admin.patch(PersistentVolume, { name: volumeName }, claimRef, requestTimeout));
  const status = {
    ...{ phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage } },
    ...(attributesClass && { currentVolumeAttributesClassName: attributesClass }),
  };
  const options = { ...requestTimeout, subresource: "status" } as const;
  await insist(() => admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status }), options));
}

export async function removeClaim({ cluster: { admin } }: World, name: string): Promise<void> {
  const unprotect = mergePatch({ metadata: { finalizers: null } });
  await insist(() => ignoreNotFound(admin.patch(PersistentVolumeClaim, inDefault(name), unprotect, requestTimeout)));
  await insist(() => admin.delete(PersistentVolumeClaim, inDefault(name), requestTimeout), isNotFound);
}

export function readClaim(admin: World["cluster"]["admin"], name: string): Promise<V1PersistentVolumeClaim> {
  return insist(() => admin.get(PersistentVolumeClaim, inDefault(name), requestTimeout));
}
