import { bytesOf, formatBytes } from "@csi-sidecars/base";
import type { GetCapacityResponse } from "@csi-sidecars/csi";
import { mergePatch, type Patch, type V1CSIStorageCapacity } from "@csi-sidecars/kube";
import { type CapacityObject, driverNameLabel, managedByLabel } from "./capacity-object.ts";
import type { Owner } from "./owner.ts";
import { nodeTopologyOf, type Pair } from "./pair.ts";

/** What the driver said, as far as it is published. */
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

/** Whether the object says this. A maximum of 0 is another thing than none. */
export function publishes(object: CapacityObject, { bytes, maximumVolumeBytes }: Capacity): boolean {
  return sameSize(object.capacity, bytes) && sameSize(object.maximumVolumeSize, maximumVolumeBytes);
}

/** Marks of all objects that one manager keeps. */
export interface Marks {
  readonly namespace: string;
  readonly driver: string;
  readonly managedBy: string;
  readonly owner: Owner | undefined;
}

export function selectorOf({ driver, managedBy }: Marks): string {
  return `${driverNameLabel}=${driver},${managedByLabel}=${managedBy}`;
}

export function newObject(
  name: string,
  pair: Pair,
  capacity: Capacity,
  { namespace, driver, managedBy, owner }: Marks,
): V1CSIStorageCapacity {
  return {
    metadata: {
      name,
      namespace,
      labels: { [driverNameLabel]: driver, [managedByLabel]: managedBy },
      ...(owner && { ownerReferences: [{ ...owner }] }),
    },
    nodeTopology: nodeTopologyOf(pair.term),
    storageClassName: pair.className,
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
