import type { KubeObject } from "./object.ts";
import { resource } from "./resource.ts";

// Kinds whose CustomResourceDefinitions may not be installed.

interface SnapshotError {
  time?: string;
  message?: string;
}

/** A request for a snapshot of a claim, or for one that already exists in the storage system. */
export interface V1VolumeSnapshot extends KubeObject {
  spec?: {
    source?: { persistentVolumeClaimName?: string; volumeSnapshotContentName?: string };
    volumeSnapshotClassName?: string;
  };
  status?: {
    boundVolumeSnapshotContentName?: string;
    creationTime?: string;
    readyToUse?: boolean;
    restoreSize?: string | number;
    error?: SnapshotError;
  };
}

/** A snapshot on the storage system: what a VolumeSnapshot is bound to. */
export interface V1VolumeSnapshotContent extends KubeObject {
  spec?: {
    deletionPolicy?: string;
    driver?: string;
    source?: { volumeHandle?: string; snapshotHandle?: string };
    sourceVolumeMode?: string;
    volumeSnapshotClassName?: string;
    volumeSnapshotRef?: { name?: string; namespace?: string; uid?: string };
  };
  status?: {
    snapshotHandle?: string;
    /** Nanoseconds since the epoch. */
    creationTime?: number;
    readyToUse?: boolean;
    restoreSize?: number;
    error?: SnapshotError;
  };
}

/** Allows objects of other namespaces to refer to objects in its namespace. */
export interface V1beta1ReferenceGrant extends KubeObject {
  spec?: {
    from?: { group: string; kind: string; namespace: string }[];
    to?: { group: string; kind: string; name?: string }[];
  };
}

/** Declares a kind as a data source that a volume populator handles. */
export interface V1beta1VolumePopulator extends KubeObject {
  sourceKind?: { group?: string; kind?: string };
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

export const ReferenceGrant = resource<V1beta1ReferenceGrant>("gateway.networking.k8s.io/v1beta1", "referencegrants", "ReferenceGrant", {
  namespaced: true,
});

export const VolumePopulator = resource<V1beta1VolumePopulator>("populator.storage.k8s.io/v1beta1", "volumepopulators", "VolumePopulator", {
  namespaced: false,
});
