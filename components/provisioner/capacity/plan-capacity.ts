import { bytesOf, formatBytes } from "@csi-sidecars/base";
import type { GetCapacityResponse } from "@csi-sidecars/csi";
import { mergePatch, type Patch, type V1CSIStorageCapacity } from "@csi-sidecars/kube";
import { type CapacityObject, driverNameLabel, managedByLabel, type ObjectTemplate } from "./capacity-object.ts";
import type { Owner } from "./owner.ts";
import { nodeTopologyOf, type WorkItem } from "./work-items.ts";

/** What is published of the driver's answer. */
export interface Capacity {
  readonly bytes: bigint;
  readonly maximumVolumeBytes: bigint | undefined;
}

export function capacityOf({ availableCapacity, maximumVolumeSize }: GetCapacityResponse): Capacity {
  if (availableCapacity < 0n || (maximumVolumeSize ?? 0n) < 0n) {
    throw new Error(`the driver answered GetCapacity with a negative size: ${availableCapacity}, maximum ${maximumVolumeSize}`);
  }
  return { bytes: availableCapacity, maximumVolumeBytes: maximumVolumeSize };
}

/** Whether the object has this capacity. A maximum of 0 is not the same as none. */
export function publishes(object: CapacityObject, { bytes, maximumVolumeBytes }: Capacity): boolean {
  return sameSize(object.capacity, bytes) && sameSize(object.maximumVolumeSize, maximumVolumeBytes);
}

export function newObject(
  name: string,
  item: WorkItem,
  capacity: Capacity,
  { namespace, driver, managedBy, owner }: ObjectTemplate,
): V1CSIStorageCapacity {
  return {
    metadata: {
      name,
      namespace,
      labels: { [driverNameLabel]: driver, [managedByLabel]: managedBy },
      ...(owner && { ownerReferences: [{ ...owner }] }),
    },
    nodeTopology: nodeTopologyOf(item.term),
    storageClassName: item.className,
    ...sizes(capacity),
  };
}

/**
 * What has to change on an object; `undefined` if nothing has to. Only one owner may be the controlling one, so ours replaces another:
 * whoever that was, it no longer runs this driver.
 */
export function patchFor(object: CapacityObject, capacity: Capacity, owner: Owner | undefined): Patch | undefined {
  const owners = object.metadata.ownerReferences ?? [];
  const owned = !owner || owners.some(({ uid, controller }) => controller && uid === owner.uid);
  if (owned && publishes(object, capacity)) return undefined;
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  return mergePatch({
    metadata: owned ? metadata : { ...metadata, ownerReferences: withOwner(owners, owner) },
    maximumVolumeSize: null,
    ...sizes(capacity),
  });
}

function withOwner(owners: readonly OwnerReference[], owner: Owner): readonly object[] {
  return [...owners.filter(({ uid, controller }) => !controller && uid !== owner.uid), owner];
}

type OwnerReference = NonNullable<CapacityObject["metadata"]["ownerReferences"]>[number];

function sizes({ bytes, maximumVolumeBytes }: Capacity) {
  return {
    capacity: formatBytes(bytes),
    ...(maximumVolumeBytes !== undefined && { maximumVolumeSize: formatBytes(maximumVolumeBytes) }),
  };
}

function sameSize(text: string | number | undefined, bytes: bigint | undefined): boolean {
  return text === undefined || bytes === undefined ? text === bytes : bytesOf(text) === bytes;
}

/** Which of an item's objects stays, the oldest; the others are surplus. The same choice in every process. */
export function keepOldest(objects: readonly CapacityObject[]): {
  readonly kept: CapacityObject | undefined;
  readonly surplus: readonly CapacityObject[];
} {
  const [kept, ...surplus] = [...objects].sort((a, b) => (age(a) < age(b) ? -1 : 1));
  return { kept, surplus };
}

function age({ metadata }: CapacityObject): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
}
