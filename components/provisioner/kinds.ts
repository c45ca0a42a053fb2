import { type KubeObject, resource } from "@csi-sidecars/kube";

/** snapshot.storage.k8s.io/v1, as far as restoring reads it. */
export interface V1VolumeSnapshot extends KubeObject {
  spec?: object;
  status?: { boundVolumeSnapshotContentName?: string; readyToUse?: boolean; restoreSize?: string | number };
}

export interface V1VolumeSnapshotContent extends KubeObject {
  spec?: {
    driver?: string;
    sourceVolumeMode?: string;
    volumeSnapshotRef?: { name?: string; namespace?: string; uid?: string };
  };
  status?: { snapshotHandle?: string };
}

/** gateway.networking.k8s.io/v1beta1: what other namespaces may refer to. */
export interface ReferenceGrantObject extends KubeObject {
  spec?: {
    from?: { group: string; kind: string; namespace: string }[];
    to?: { group: string; kind: string; name?: string }[];
  };
}

const snapshots = "snapshot.storage.k8s.io/v1";
export const VolumeSnapshot = resource<V1VolumeSnapshot>(snapshots, "volumesnapshots", "VolumeSnapshot", {
  namespaced: true,
  status: true,
});
export const VolumeSnapshotContent = resource<V1VolumeSnapshotContent>(snapshots, "volumesnapshotcontents", "VolumeSnapshotContent", {
  namespaced: false,
  status: true,
});
export const ReferenceGrant = resource<ReferenceGrantObject>("gateway.networking.k8s.io/v1beta1", "referencegrants", "ReferenceGrant", {
  namespaced: true,
});
