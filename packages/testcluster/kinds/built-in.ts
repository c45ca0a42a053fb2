import { type Kind, type KindFacts, kindOf } from "./kind.ts";

const cluster = { namespaced: false } as const;
const namespaced = { namespaced: true } as const;
const withStatus = { status: true, metadataWithStatus: true } as const;
const workload = { ...namespaced, status: true, generation: 1, categories: ["all"] } as const;
const conditional = { unconditionalUpdate: false } as const;
const answered = { answersDeleted: true } as const;
const role = { createOnUpdate: true } as const;

const groups: readonly (readonly [group: string, version: string, kinds: readonly KindFacts[]])[] = [
  [
    "",
    "v1",
    [
      { kind: "ConfigMap", plural: "configmaps", ...namespaced, shortNames: ["cm"] },
      { kind: "Event", plural: "events", ...namespaced, shortNames: ["ev"], createOnUpdate: true },
      { kind: "Namespace", plural: "namespaces", ...cluster, ...withStatus, shortNames: ["ns"], deletesOneByOne: true },
      { kind: "Node", plural: "nodes", ...cluster, ...withStatus, shortNames: ["no"], statusOnCreate: true },
      { kind: "PersistentVolumeClaim", plural: "persistentvolumeclaims", ...namespaced, ...answered, ...withStatus, shortNames: ["pvc"] },
      { kind: "PersistentVolume", plural: "persistentvolumes", ...cluster, ...answered, ...withStatus, shortNames: ["pv"] },
      {
        kind: "Pod",
        plural: "pods",
        ...namespaced,
        ...answered,
        ...withStatus,
        shortNames: ["po"],
        categories: ["all"],
        bindable: true,
        generation: 1,
      },
      { kind: "Secret", plural: "secrets", ...namespaced },
      { kind: "Service", plural: "services", ...namespaced, ...answered, ...withStatus, shortNames: ["svc"], categories: ["all"] },
      { kind: "ServiceAccount", plural: "serviceaccounts", ...namespaced, ...answered, shortNames: ["sa"], issuesTokens: true },
    ],
  ],
  [
    "apps",
    "v1",
    [
      { kind: "DaemonSet", plural: "daemonsets", ...workload, shortNames: ["ds"] },
      { kind: "Deployment", plural: "deployments", ...workload, scalable: true, shortNames: ["deploy"] },
      { kind: "ReplicaSet", plural: "replicasets", ...workload, scalable: true, shortNames: ["rs"] },
      { kind: "StatefulSet", plural: "statefulsets", ...workload, scalable: true, shortNames: ["sts"] },
    ],
  ],
  [
    "batch",
    "v1",
    [
      { kind: "CronJob", plural: "cronjobs", ...workload, shortNames: ["cj"] },
      { kind: "Job", plural: "jobs", ...workload },
    ],
  ],
  ["events.k8s.io", "v1", [{ kind: "Event", plural: "events", ...namespaced, shortNames: ["ev"], createOnUpdate: true, viewOf: "events" }]],
  [
    "policy",
    "v1",
    [{ kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", ...namespaced, status: true, generation: 1, shortNames: ["pdb"] }],
  ],
  [
    "rbac.authorization.k8s.io",
    "v1",
    [
      { kind: "ClusterRoleBinding", plural: "clusterrolebindings", ...cluster, ...role },
      { kind: "ClusterRole", plural: "clusterroles", ...cluster, ...role },
      { kind: "RoleBinding", plural: "rolebindings", ...namespaced, ...role },
      { kind: "Role", plural: "roles", ...namespaced, ...role },
    ],
  ],
  [
    "storage.k8s.io",
    "v1",
    [
      { kind: "CSIDriver", plural: "csidrivers", ...cluster, ...conditional, ...answered, generation: 0 },
      { kind: "CSINode", plural: "csinodes", ...cluster, ...answered, ...conditional },
      { kind: "CSIStorageCapacity", plural: "csistoragecapacities", ...namespaced, ...conditional },
      { kind: "StorageClass", plural: "storageclasses", ...cluster, ...answered, shortNames: ["sc"] },
      { kind: "VolumeAttachment", plural: "volumeattachments", ...cluster, ...answered, ...conditional, status: true },
      { kind: "VolumeAttributesClass", plural: "volumeattributesclasses", ...cluster, ...answered, shortNames: ["vac"] },
    ],
  ],
  [
    "apiextensions.k8s.io",
    "v1",
    [
      {
        kind: "CustomResourceDefinition",
        plural: "customresourcedefinitions",
        ...cluster,
        ...conditional,
        ...answered,
        status: true,
        generation: 1,
        shortNames: ["crd", "crds"],
        categories: ["api-extensions"],
      },
    ],
  ],
  ["coordination.k8s.io", "v1", [{ kind: "Lease", plural: "leases", ...namespaced, ...conditional, createOnUpdate: true }]],
];

/** The built-in kinds of kube-apiserver that storage sidecars and their tests use. */
export const builtInKinds: readonly Kind[] = groups.flatMap(([group, version, kinds]) =>
  kinds.map((facts) => kindOf(group, version, facts)),
);
