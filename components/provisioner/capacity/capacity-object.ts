import {
  type CachedOf,
  type Client,
  CSIStorageCapacity,
  fields,
  type Resource,
  resource,
  type V1CSIStorageCapacity,
} from "@csi-sidecars/kube";

export const driverNameLabel = "csi.storage.k8s.io/drivername";
export const managedByLabel = "csi.storage.k8s.io/managed-by";

export type CapacityResource = Resource<V1CSIStorageCapacity>;

const versions: readonly CapacityResource[] = [
  CSIStorageCapacity,
  resource<V1CSIStorageCapacity>("storage.k8s.io/v1beta1", "csistoragecapacities", "CSIStorageCapacity", { namespaced: true }),
];

/** The newest version of the kind that the cluster serves; both have the same fields. `flag` is what asks for it. */
export async function servedCapacityResource(
  kube: Pick<Client, "discover">,
  flag: string,
  signal?: AbortSignal,
): Promise<CapacityResource> {
  for (const version of versions) {
    const served = await kube.discover(`${version.group}/${version.version}`, { signal });
    if (served?.some(({ kind }) => kind === version.kind)) return version;
  }
  throw new Error(`the cluster serves no CSIStorageCapacity, neither storage.k8s.io/v1 nor v1beta1: switch --${flag} off`);
}

/** What is read of the objects, and therefore all that is cached. */
export const capacityFields = (kind: CapacityResource) =>
  fields(kind, {
    metadata: { creationTimestamp: true, ownerReferences: true },
    nodeTopology: true,
    storageClassName: true,
    capacity: true,
    maximumVolumeSize: true,
  });
export type CapacityObject = CachedOf<ReturnType<typeof capacityFields>>;
