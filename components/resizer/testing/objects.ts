import {
  type Cached,
  type FieldSet,
  type KubeObject,
  projectorFor,
  type V1PersistentVolume,
  type V1PersistentVolumeClaim,
  type V1Pod,
} from "@csi-sidecars/kube";
import type { DriverInfo } from "../driver-capabilities.ts";
import { type Claim, claimFields, migratedVolumeFields, type Volume } from "../fields.ts";

export const driverName = "csi.example.com";
/** The class of all claims: one that allows expansion. */
export const className = "expandable";

type ClaimSpec = NonNullable<V1PersistentVolumeClaim["spec"]>;
type VolumeSpec = NonNullable<V1PersistentVolume["spec"]>;
type ClaimStatus = NonNullable<V1PersistentVolumeClaim["status"]>;
export type ResizeStatus = NonNullable<ClaimStatus["allocatedResourceStatuses"]>[string];

/** A claim and the volume that it is bound to, changed as told. Without anything: `default/data` with `pv-data`, which has 1Gi. */
export interface BoundClaim {
  readonly name?: string;
  /** What the claim requests; its capacity unless told. */
  readonly request?: string;
  /** What it has. */
  readonly capacity?: string;
  readonly metadata?: V1PersistentVolumeClaim["metadata"];
  readonly spec?: Partial<ClaimSpec>;
  readonly status?: Partial<ClaimStatus>;
  readonly volume?: { readonly metadata?: V1PersistentVolume["metadata"]; readonly spec?: Partial<VolumeSpec> };
}

export const G = 10n ** 9n;
export const Gi = 2n ** 30n;

/** Whether the driver's part of an expansion is done, and the node's is not. */
export function isNodePending({ status }: V1PersistentVolumeClaim): boolean {
  return status?.allocatedResourceStatuses?.storage === "NodeResizePending";
}

/** What an expansion of `data` writes. */
export const expansionWrites = [
  "patch persistentvolumeclaims/status data",
  "patch persistentvolumes pv-data",
  "patch persistentvolumeclaims/status data",
];

export const volumeNameOf = (claim: string) => `pv-${claim}`;
export const handleOf = (claim: string) => `handle-${claim}`;
export const inDefault = (name: string) => ({ namespace: "default", name });

/** The claim without its status, which is written on its own. */
export function claimOf({ name = "data", capacity = "1Gi", request = capacity, metadata, spec }: BoundClaim = {}): V1PersistentVolumeClaim {
  return {
    metadata: { ...inDefault(name), ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: request } },
      storageClassName: className,
      volumeName: volumeNameOf(name),
      ...spec,
    },
  };
}

export function statusOf({ capacity = "1Gi", status }: BoundClaim = {}): ClaimStatus {
  return { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: capacity }, ...status };
}

/** The volume of a claim with this uid. */
export function volumeOf({ name = "data", capacity = "1Gi", volume }: BoundClaim, uid: string): V1PersistentVolume {
  return {
    metadata: { name: volumeNameOf(name), ...volume?.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: capacity },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: className,
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault(name), uid },
      csi: { driver: driverName, volumeHandle: handleOf(name), fsType: "ext4" },
      ...volume?.spec,
    },
  };
}

/** A pod with a volume `v`: the claim `data` unless told. */
export function podOf(name: string, volume: object = { persistentVolumeClaim: { claimName: "data" } }): V1Pod {
  return {
    metadata: inDefault(name),
    spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "v", ...volume }], terminationGracePeriodSeconds: 0 },
  };
}

/** The claim as the cache holds it. */
export function cachedClaim(parts: BoundClaim = {}): Claim {
  return cached(claimFields, { ...claimOf(parts), status: statusOf(parts) });
}

/** Its volume as the cache holds it. */
export function cachedVolume(parts: BoundClaim = {}): Volume {
  const { name = "data" } = parts;
  return cached(migratedVolumeFields, volumeOf(parts, uidOf(name)));
}

function cached<T extends KubeObject, P extends Cached>(fields: FieldSet<T, P>, object: T): P {
  const metadata = { uid: uidOf(object.metadata?.name ?? ""), resourceVersion: "1", ...object.metadata };
  return projectorFor(fields)({ ...object, metadata });
}

const uidOf = (name: string) => `uid-of-${name}`;

/** The driver of the tests: it expands and modifies volumes. */
export const driverInfo: DriverInfo = {
  name: driverName,
  migrated: false,
  expansion: "controller",
  modifiesVolumes: true,
  singleNodeMultiWriter: false,
};
