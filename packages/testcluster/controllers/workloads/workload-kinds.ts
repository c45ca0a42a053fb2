import { resource, type Untagged } from "@csi-sidecars/kube";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import type { IReplicaSet } from "kubernetes-models/apps/v1/ReplicaSet";
import type { IStatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import type { IJob } from "kubernetes-models/batch/v1/Job";

export type V1StatefulSet = Untagged<IStatefulSet>;
export type V1Deployment = Untagged<IDeployment>;
export type V1ReplicaSet = Untagged<IReplicaSet>;
export type V1Job = Untagged<IJob>;

const served = { namespaced: true, status: true } as const;

export const StatefulSet = resource<V1StatefulSet>("apps/v1", "statefulsets", "StatefulSet", served);
export const Deployment = resource<V1Deployment>("apps/v1", "deployments", "Deployment", served);
export const ReplicaSet = resource<V1ReplicaSet>("apps/v1", "replicasets", "ReplicaSet", served);
export const Job = resource<V1Job>("batch/v1", "jobs", "Job", served);
