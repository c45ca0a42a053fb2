import type { LabelSelector } from "./label-selector.ts";
import type { KubeObject } from "./object.ts";
import { resource } from "./resource.ts";

// The kinds of external-snapshotter: their CustomResourceDefinitions may not be installed.

/** A 64-bit integer: a number as long as that is exact, else a bigint. */
export type Int64 = number | bigint;

/** Why a snapshot failed last, in the status of all four kinds that have one. */
export interface SnapshotError {
  time?: string;
  message?: string;
}

/** What a content says it belongs to. */
interface SnapshotReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
}

export type DeletionPolicy = "Delete" | "Retain";

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
    volumeGroupSnapshotName?: string;
  };
}

/** A snapshot on the storage system: what a VolumeSnapshot is bound to. */
export interface V1VolumeSnapshotContent extends KubeObject {
  spec?: {
    deletionPolicy?: DeletionPolicy;
    driver?: string;
    source?: { volumeHandle?: string; snapshotHandle?: string };
    sourceVolumeMode?: string;
    volumeSnapshotClassName?: string;
    volumeSnapshotRef?: SnapshotReference;
  };
  status?: {
    snapshotHandle?: string;
    /** Nanoseconds since the epoch. */
    creationTime?: Int64;
    readyToUse?: boolean;
    restoreSize?: Int64;
    error?: SnapshotError;
    volumeGroupSnapshotHandle?: string;
  };
}

/** How snapshots of a driver are taken; group snapshots have a class of the same shape. */
export interface V1VolumeSnapshotClass extends KubeObject {
  driver?: string;
  deletionPolicy?: DeletionPolicy;
  parameters?: Record<string, string>;
}

/** A request for snapshots of several claims, taken at the same point in time. */
export interface V1VolumeGroupSnapshot extends KubeObject {
  spec?: {
    source?: { selector?: LabelSelector; volumeGroupSnapshotContentName?: string };
    volumeGroupSnapshotClassName?: string;
  };
  status?: {
    boundVolumeGroupSnapshotContentName?: string;
    creationTime?: string;
    readyToUse?: boolean;
    error?: SnapshotError;
  };
}

/** A group snapshot on the storage system: what a VolumeGroupSnapshot is bound to. */
export interface V1VolumeGroupSnapshotContent extends KubeObject {
  spec?: {
    deletionPolicy?: DeletionPolicy;
    driver?: string;
    source?: {
      volumeHandles?: string[];
      groupSnapshotHandles?: { volumeGroupSnapshotHandle?: string; volumeSnapshotHandles?: string[] };
    };
    volumeGroupSnapshotClassName?: string;
    volumeGroupSnapshotRef?: SnapshotReference;
  };
  status?: {
    volumeGroupSnapshotHandle?: string;
    creationTime?: string;
    readyToUse?: boolean;
    error?: SnapshotError;
    volumeSnapshotInfoList?: VolumeSnapshotInfo[];
  };
}

/** One snapshot of a group, as the driver has taken it. */
export interface VolumeSnapshotInfo {
  volumeHandle?: string;
  snapshotHandle?: string;
  /** Nanoseconds since the epoch. */
  creationTime?: Int64;
  readyToUse?: boolean;
  restoreSize?: Int64;
}

const single = "snapshot.storage.k8s.io/v1";
export const VolumeSnapshot = resource<V1VolumeSnapshot>(single, "volumesnapshots", "VolumeSnapshot", { namespaced: true, status: true });
export const VolumeSnapshotContent = resource<V1VolumeSnapshotContent>(single, "volumesnapshotcontents", "VolumeSnapshotContent", {
  namespaced: false,
  status: true,
  int64: true,
});
export const VolumeSnapshotClass = resource<V1VolumeSnapshotClass>(single, "volumesnapshotclasses", "VolumeSnapshotClass", {
  namespaced: false,
});

const group = "groupsnapshot.storage.k8s.io/v1";
export const VolumeGroupSnapshot = resource<V1VolumeGroupSnapshot>(group, "volumegroupsnapshots", "VolumeGroupSnapshot", {
  namespaced: true,
  status: true,
});
export const VolumeGroupSnapshotContent = resource<V1VolumeGroupSnapshotContent>(
  group,
  "volumegroupsnapshotcontents",
  "VolumeGroupSnapshotContent",
  { namespaced: false, status: true, int64: true },
);
export const VolumeGroupSnapshotClass = resource<V1VolumeSnapshotClass>(group, "volumegroupsnapshotclasses", "VolumeGroupSnapshotClass", {
  namespaced: false,
});
