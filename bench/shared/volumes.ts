import type { V1PersistentVolume, V1PersistentVolumeClaim, V1VolumeAttachment } from "@csi-sidecars/kube";

/** A bound and attached volume as the sidecars of a driver leave it behind. */
export interface AttachedVolume {
  readonly volume: V1PersistentVolume;
  readonly claim: V1PersistentVolumeClaim;
  readonly attachment: V1VolumeAttachment;
}

export const driverName = "bench.csi.example.com";
export const nodeCount = 200;
export const namespaceCount = 50;

const digits = (number: number, width: number): string => number.toString(16).padStart(width, "0");
/** Looks like a uid and is the same in every run. */
const uidOf = (kind: number, index: number): string => `${digits(kind, 8)}-5e0d-4c1b-9a77-${digits(index, 12)}`;

export const namespaceName = (index: number): string => `team-${index % namespaceCount}`;

/** How many volumes {@link nodeCount} nodes take; each further one of as many has nodes of its own. */
const nodesFullAt = 20_000;

/** The node that volume number `index` is attached to; its ID in the driver is the same. */
export const volumeNode = (index: number): string =>
  `node-${Math.floor(index / nodesFullAt) * nodeCount + (index % nodeCount)}.cluster.example.com`;

/** What the driver calls volume number `index`. */
export const volumeHandle = (index: number): string => `vol-${uidOf(2, index)}`;

/** The volume number `index` of a fleet. */
export function attachedVolume(index: number): AttachedVolume {
  const claimUid = uidOf(1, index);
  const name = `pvc-${claimUid}`;
  const claimName = `data-app-${Math.floor(index / 3)}-${index % 3}`;
  const namespace = namespaceName(index);
  const storage = `${1 + (index % 4)}Gi`;
  const node = volumeNode(index);
  return {
    volume: {
      metadata: {
        name,
        annotations: {
          "pv.kubernetes.io/provisioned-by": driverName,
          "volume.kubernetes.io/provisioner-deletion-secret-name": "",
          "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
        },
        finalizers: ["external-provisioner.volume.kubernetes.io/finalizer", `external-attacher/${driverName.replaceAll(".", "-")}`],
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage },
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: claimName, uid: claimUid, resourceVersion: "1000" },
        csi: {
          driver: driverName,
          volumeHandle: volumeHandle(index),
          fsType: "ext4",
          volumeAttributes: { "storage.kubernetes.io/csiProvisionerIdentity": `1754000000000-8081-${driverName}` },
        },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: `topology.${driverName}/zone`, operator: "In", values: [`zone-${index % 3}`] }] },
            ],
          },
        },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "fast",
        volumeMode: "Filesystem",
      },
    },
    claim: {
      metadata: {
        name: claimName,
        namespace,
        labels: { app: `app-${Math.floor(index / 3)}` },
        annotations: {
          "pv.kubernetes.io/bind-completed": "yes",
          "pv.kubernetes.io/bound-by-controller": "yes",
          "volume.kubernetes.io/storage-provisioner": driverName,
          "volume.beta.kubernetes.io/storage-provisioner": driverName,
          "volume.kubernetes.io/selected-node": node,
        },
        finalizers: ["kubernetes.io/pvc-protection"],
      },
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage } },
        storageClassName: "fast",
        volumeMode: "Filesystem",
        volumeName: name,
      },
      status: { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage } },
    },
    attachment: {
      metadata: {
        name: `csi-${digits(index, 12)}${uidOf(3, index).replaceAll("-", "")}${digits(index * 7919, 20)}`.slice(0, 68),
        annotations: { "csi.alpha.kubernetes.io/node-id": node },
        finalizers: [`external-attacher/${driverName.replaceAll(".", "-")}`],
      },
      spec: { attacher: driverName, nodeName: node, source: { persistentVolumeName: name } },
      status: { attached: true, attachmentMetadata: { devicePath: "/dev/xvdba" } },
    },
  };
}
