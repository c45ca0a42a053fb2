import type { V1CSINode, V1PersistentVolume, V1PersistentVolumeClaim, V1VolumeAttachment } from "@csi-sidecars/kube";

export const volume = (name: string): V1PersistentVolume => ({
  metadata: { name },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], csi: { driver: "csi.example.com", volumeHandle: name } },
});

export const claim = (name: string): V1PersistentVolumeClaim => ({
  metadata: { name, namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
});

export const attachment = (name: string): V1VolumeAttachment => ({
  metadata: { name },
  spec: { attacher: "csi.example.com", nodeName: "node-1", source: { persistentVolumeName: "pv-1" } },
});

export const csiNode = (name: string): V1CSINode => ({ metadata: { name }, spec: { drivers: [] } });
