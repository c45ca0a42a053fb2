import type { Attachment, Claim, Class, ClusterNode, ClusterPod, Driver, Volume } from "../fields.ts";

type Parts<T> = { readonly [K in keyof T]?: T[K] extends object | undefined ? Partial<NonNullable<T[K]>> : T[K] };

const meta = (name: string, uid: string) => ({ name, uid, resourceVersion: "1" });

/** A claim `default/data` for 1Gi in class `fast`, changed as told. */
export function claim({ metadata, spec, ...rest }: Parts<Claim> = {}): Claim {
  return {
    metadata: { ...meta("data", "claim-uid"), namespace: "default", ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast", ...spec },
    status: { phase: "Pending" },
    ...rest,
  } as Claim;
}

/** An available CSI volume `pv-1` of 1Gi in class `fast`, changed as told. */
export function volume({ metadata, spec, status }: Parts<Volume> = {}): Volume {
  return {
    metadata: { ...meta("pv-1", "volume-uid"), ...metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "fast",
      persistentVolumeReclaimPolicy: "Delete",
      csi: { driver: "csi.example.com", volumeHandle: "handle-1" },
      ...spec,
    },
    status: { phase: "Available", ...status },
  } as Volume;
}

/** Where a volume says that it belongs to {@link claim}. */
export const claimRef = { name: "data", namespace: "default", uid: "claim-uid" };

export function storageClass(parts: Parts<Class> = {}): Class {
  return {
    provisioner: "csi.example.com",
    volumeBindingMode: "Immediate",
    ...parts,
    metadata: { ...meta("fast", "class-uid"), ...parts.metadata },
  } as Class;
}

/** A pod `default/app` that uses the claims named. */
export function pod(claims: readonly string[], { metadata, spec, status }: Parts<ClusterPod> = {}): ClusterPod {
  return {
    metadata: { ...meta("app", "pod-uid"), namespace: "default", ...metadata },
    spec: {
      containers: [{ name: "main", image: "app" }],
      volumes: claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })),
      ...spec,
    },
    status: { phase: "Pending", ...status },
  } as ClusterPod;
}

const managed = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };

/** A node that leaves attaching to the cluster's controller, as kubelets do. */
export function node(name: string, labels: Readonly<Record<string, string>> = {}, parts: Parts<ClusterNode> = {}): ClusterNode {
  return { ...parts, metadata: { ...meta(name, `${name}-uid`), labels, annotations: managed, ...parts.metadata } } as ClusterNode;
}

export function driver(spec: Partial<Driver["spec"]> = {}): Driver {
  return { metadata: meta("csi.example.com", "driver-uid"), spec } as Driver;
}

export function attachment(name: string, nodeName: string, parts: Parts<Attachment> = {}): Attachment {
  return {
    spec: { attacher: "csi.example.com", nodeName, source: { persistentVolumeName: "pv-1" } },
    ...parts,
    metadata: { ...meta(name, `${name}-uid`), ...parts.metadata },
  } as Attachment;
}
