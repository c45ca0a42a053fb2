import type { ILease } from "kubernetes-models/coordination.k8s.io/v1/Lease";
import type { ICSIDriver } from "kubernetes-models/storage.k8s.io/v1/CSIDriver";
import type { ICSINode } from "kubernetes-models/storage.k8s.io/v1/CSINode";
import type { ICSIStorageCapacity } from "kubernetes-models/storage.k8s.io/v1/CSIStorageCapacity";
import type { IStorageClass } from "kubernetes-models/storage.k8s.io/v1/StorageClass";
import type { IVolumeAttachment } from "kubernetes-models/storage.k8s.io/v1/VolumeAttachment";
import type { IEvent } from "kubernetes-models/v1/Event";
import type { INamespace } from "kubernetes-models/v1/Namespace";
import type { INode } from "kubernetes-models/v1/Node";
import type { IPersistentVolume } from "kubernetes-models/v1/PersistentVolume";
import type { IPersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import type { IPod } from "kubernetes-models/v1/Pod";
import type { IResourceQuota } from "kubernetes-models/v1/ResourceQuota";
import type { ISecret } from "kubernetes-models/v1/Secret";
import type { IServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import type { KubeObject } from "./object.ts";
import { resource, type Untagged } from "./resource.ts";

export type V1Namespace = Untagged<INamespace>;
export type V1Node = Untagged<INode>;
export type V1Pod = Untagged<IPod>;
export type V1ResourceQuota = Untagged<IResourceQuota>;
export type V1Secret = Untagged<ISecret>;
export type V1ServiceAccount = Untagged<IServiceAccount>;
export type V1Event = Untagged<IEvent>;
export type V1PersistentVolume = Untagged<IPersistentVolume>;
export type V1PersistentVolumeClaim = Untagged<IPersistentVolumeClaim>;
export type V1StorageClass = Untagged<IStorageClass>;
export type V1VolumeAttachment = Untagged<IVolumeAttachment>;
export type V1CSINode = Untagged<ICSINode>;
export type V1CSIDriver = Untagged<ICSIDriver>;
export type V1CSIStorageCapacity = Untagged<ICSIStorageCapacity>;
export type V1Lease = Untagged<ILease>;

/** Not yet in kubernetes-models' `storage.k8s.io/v1`. */
export interface V1VolumeAttributesClass extends KubeObject {
  driverName: string;
  parameters?: Record<string, string>;
}

export const Namespace = resource<V1Namespace>("v1", "namespaces", "Namespace", { namespaced: false, status: true });
export const Node = resource<V1Node>("v1", "nodes", "Node", { namespaced: false, status: true });
export const Pod = resource<V1Pod>("v1", "pods", "Pod", { namespaced: true, status: true });
export const ResourceQuota = resource<V1ResourceQuota>("v1", "resourcequotas", "ResourceQuota", { namespaced: true, status: true });
export const Secret = resource<V1Secret>("v1", "secrets", "Secret", { namespaced: true });
export const ServiceAccount = resource<V1ServiceAccount>("v1", "serviceaccounts", "ServiceAccount", { namespaced: true });
export const Event = resource<V1Event>("v1", "events", "Event", { namespaced: true });
export const PersistentVolume = resource<V1PersistentVolume>("v1", "persistentvolumes", "PersistentVolume", {
  namespaced: false,
  status: true,
});
export const PersistentVolumeClaim = resource<V1PersistentVolumeClaim>("v1", "persistentvolumeclaims", "PersistentVolumeClaim", {
  namespaced: true,
  status: true,
});

const storage = "storage.k8s.io/v1";
export const StorageClass = resource<V1StorageClass>(storage, "storageclasses", "StorageClass", { namespaced: false });
export const VolumeAttachment = resource<V1VolumeAttachment>(storage, "volumeattachments", "VolumeAttachment", {
  namespaced: false,
  status: true,
});
export const CSINode = resource<V1CSINode>(storage, "csinodes", "CSINode", { namespaced: false });
export const CSIDriver = resource<V1CSIDriver>(storage, "csidrivers", "CSIDriver", { namespaced: false });
export const CSIStorageCapacity = resource<V1CSIStorageCapacity>(storage, "csistoragecapacities", "CSIStorageCapacity", {
  namespaced: true,
});
export const VolumeAttributesClass = resource<V1VolumeAttributesClass>(storage, "volumeattributesclasses", "VolumeAttributesClass", {
  namespaced: false,
});

export const Lease = resource<V1Lease>("coordination.k8s.io/v1", "leases", "Lease", { namespaced: true });
