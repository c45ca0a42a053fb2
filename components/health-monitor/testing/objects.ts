import type { V1PersistentVolume, V1PersistentVolumeClaim } from "@csi-sidecars/kube";

export const driverName = "csi.example.com";

/** A claim and the volume that it is bound to. Without anything: `default/data` with `pv-data`. */
export interface BoundClaim {
  readonly name?: string;
  readonly namespace?: string;
  readonly handle?: string;
  readonly phase?: NonNullable<V1PersistentVolume["status"]>["phase"];
  /** The uid of the pod that the claim was made for. */
  readonly owner?: string;
  readonly metadata?: V1PersistentVolume["metadata"];
  readonly spec?: Partial<NonNullable<V1PersistentVolume["spec"]>>;
}

export const volumeNameOf = (claim: string) => `pv-${claim}`;
export const handleOf = (claim: string) => `handle-${claim}`;
export const inDefault = (name: string) => ({ namespace: "default", name });

export function claimOf({ name = "data", namespace = "default", owner }: BoundClaim = {}): V1PersistentVolumeClaim {
  const owners = owner ? [{ apiVersion: "v1", kind: "Pod", name: "pod", uid: owner, controller: true }] : [];
  return {
    metadata: { namespace, name, ownerReferences: owners },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "",
      volumeName: volumeNameOf(name),
    },
  };
}

/** The volume of a claim with this uid. */
export function volumeOf(
  { name = "data", namespace = "default", handle = handleOf(name), metadata, spec }: BoundClaim,
  uid: string,
): V1PersistentVolume {
  return {
    metadata: { name: volumeNameOf(name), ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      csi: { driver: driverName, volumeHandle: handle },
      ...spec,
    },
  };
}
