import type { V1PersistentVolume, V1PersistentVolumeClaim, V1StorageClass } from "@csi-sidecars/kube";
import { presets } from "@csi-sidecars/testcluster";

export const driverName = "driver.example.com";
/** A token of a template in a class: what is put in its place is decided when a volume is made. */
export const token = (name: string) => `\${${name}}`;

export const inDefault = (name: string) => ({ namespace: "default", name });

type ClaimSpec = NonNullable<V1PersistentVolumeClaim["spec"]>;
type VolumeSpec = NonNullable<V1PersistentVolume["spec"]>;

export function storageClass(name: string, members: Partial<V1StorageClass> = {}): V1StorageClass {
  return { metadata: { name }, provisioner: driverName, volumeBindingMode: "Immediate", ...members };
}

/** A claim for 1Gi in the class `fast`, in the namespace `default`. */
export function claim(
  name: string,
  spec: Partial<ClaimSpec> = {},
  metadata: V1PersistentVolumeClaim["metadata"] = {},
): V1PersistentVolumeClaim {
  return {
    metadata: { ...inDefault(name), ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast", ...spec },
  };
}

/** A volume that somebody made by hand. */
export function staticVolume(
  name: string,
  spec: Partial<VolumeSpec> = {},
  metadata: V1PersistentVolume["metadata"] = {},
): V1PersistentVolume {
  return {
    metadata: { name, ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: driverName, volumeHandle: `handle-of-${name}` },
      ...spec,
    },
  };
}

const definition = (group: string, version: string, kind: string, namespaced: boolean, status: boolean) => {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${singular}s.${group}`,
      annotations: { "api-approved.kubernetes.io": "https://github.com/kubernetes-csi/external-snapshotter/pull/814" },
    },
    spec: {
      ...{
        group,
        scope: namespaced ? "Namespaced" : "Cluster",
        names: { kind, singular, plural: `${singular}s`, listKind: `${kind}List` },
      },
      versions: [{ name: version, served: true, storage: true, schema, ...(status && { subresources: { status: {} } }) }],
    },
  };
};

/** The custom kinds that restoring reads, without the rules of the real ones. */
export const customKinds = {
  snapshots: [
    definition("snapshot.storage.k8s.io", "v1", "VolumeSnapshot", true, true),
    definition("snapshot.storage.k8s.io", "v1", "VolumeSnapshotContent", false, true),
  ],
  grants: [definition("gateway.networking.k8s.io", "v1beta1", "ReferenceGrant", true, false)],
} as const;

/** A driver whose volumes cannot be reached from everywhere, and which tells how much room it has where. */
export const placing = {
  ...presets.minimal,
  plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"],
  controller: ["CREATE_DELETE_VOLUME", "GET_CAPACITY"],
} as const;
