import { createHash } from "node:crypto";
import {
  type CachedOf,
  type Client,
  CSIStorageCapacity,
  fields,
  type Resource,
  resource,
  type V1CSIStorageCapacity,
} from "@csi-sidecars/kube";
import { fnv1a } from "../topology/fnv.ts";
import type { Owner } from "./owner.ts";
import type { WorkItemKey } from "./work-items.ts";

export const driverNameLabel = "csi.storage.k8s.io/drivername";
export const managedByLabel = "csi.storage.k8s.io/managed-by";

export type CapacityResource = Resource<V1CSIStorageCapacity>;

const versions: readonly CapacityResource[] = [
  CSIStorageCapacity,
  resource<V1CSIStorageCapacity>("storage.k8s.io/v1beta1", "csistoragecapacities", "CSIStorageCapacity", { namespaced: true }),
];

/** The newest version of the kind that the cluster serves; both have the same fields. `flag` enables it. */
export async function servedCapacityResource(
  kube: Pick<Client, "discover">,
  flag: string,
  signal?: AbortSignal,
): Promise<CapacityResource> {
  for (const version of versions) {
    const served = await kube.discover(`${version.group}/${version.version}`, { signal });
    if (served?.some(({ kind }) => kind === version.kind)) return version;
  }
  throw new Error(`the cluster serves no CSIStorageCapacity, neither storage.k8s.io/v1 nor v1beta1: disable --${flag}`);
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

/** What all objects of one manager have in common. */
export interface ObjectTemplate {
  readonly namespace: string;
  readonly driver: string;
  readonly managedBy: string;
  readonly owner: Owner | undefined;
}

export function selectorOf({ driver, managedBy }: ObjectTemplate): string {
  return `${driverNameLabel}=${driver},${managedByLabel}=${managedBy}`;
}

/**
 * The name of an item's object. It is the same in every process and after every restart, which makes a second object for the item
 * impossible. Where somebody else has the name, there is a next one. Upstream's objects have random names after the same `csisc-`; they
 * are kept.
 */
export function objectName({ driver, managedBy }: ObjectTemplate, key: WorkItemKey, attempt: number): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([driver, managedBy, key, attempt]))
    .digest("hex");
  return `csisc-${digest.slice(0, 32)}`;
}

const base = "external-provisioner";
const maxLabelLength = 63;
/** Eight digits and two dashes. */
const hashRoom = 10;

/**
 * Who manages an object: all instances of a central deployment together, or each node's for itself. A label value, so it is shortened where
 * the node's name is too long, in upstream's way: an upgrade finds its objects.
 */
export function managedBy(nodeName?: string): string {
  return nodeName === undefined ? base : joined(base, nodeName);
}

/** `<prefix>-<suffix>` in at most 63 characters, with a hash in the place of what had to go. */
export function joined(prefix: string, suffix: string): string {
  const whole = `${prefix}-${suffix}`;
  if (whole.length <= maxLabelLength) return whole;
  const room = maxLabelLength - hashRoom - suffix.length;
  if (room > 0) return `${prefix.slice(0, room)}-${hex(prefix)}-${suffix}`;
  return `${prefix.slice(0, maxLabelLength - hashRoom + 1)}-${hex(whole)}`;
}

function hex(text: string): string {
  return fnv1a(text).toString(16).padStart(8, "0");
}
