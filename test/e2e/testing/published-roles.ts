/** The rules of a role as upstream's manifests have them, one a line. */
interface PublishedRules {
  readonly serviceAccount: string;
  readonly cluster: string;
  readonly ownNamespace: string;
}

/** A sidecar's ClusterRole and Role with their bindings, under a name of the test's. */
const rolesWith =
  ({ serviceAccount, cluster, ownNamespace }: PublishedRules) =>
  (name: string) =>
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: ${name} }
rules:${cluster}---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} }
subjects: [{ kind: ServiceAccount, name: ${serviceAccount}, namespace: default }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: ${name}, namespace: default }
rules:${ownNamespace}---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: ${name}, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name} }
subjects: [{ kind: ServiceAccount, name: ${serviceAccount}, namespace: default }]
`;

/** What upstream publishes for the attacher: its role, and the one of its lease. */
export const publishedAttacherRoles = rolesWith({
  serviceAccount: "csi-attacher",
  cluster: `
  - { apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, watch, patch] }
  - { apiGroups: [storage.k8s.io], resources: [csinodes], verbs: [get, list, watch] }
  - { apiGroups: [storage.k8s.io], resources: [volumeattachments], verbs: [get, list, watch, patch] }
  - { apiGroups: [storage.k8s.io], resources: [volumeattachments/status], verbs: [patch] }
`,
  ownNamespace: `
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, list, delete, update, create] }
`,
});

/** What upstream publishes for the provisioner: its role, and the one of its own namespace, for the lease and the capacity objects. */
export const publishedProvisionerRoles = rolesWith({
  serviceAccount: "csi-provisioner",
  cluster: `
  - { apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, watch, create, patch, delete] }
  - { apiGroups: [""], resources: [persistentvolumeclaims], verbs: [get, list, watch, update] }
  - { apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [events], verbs: [list, watch, create, update, patch] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshots], verbs: [get, list, watch, update] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshotcontents], verbs: [get, list] }
  - { apiGroups: [storage.k8s.io], resources: [csinodes], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [nodes], verbs: [get, list, watch] }
  - { apiGroups: [storage.k8s.io], resources: [volumeattachments], verbs: [get, list, watch] }
`,
  ownNamespace: `
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, list, delete, update, create] }
  - { apiGroups: [storage.k8s.io], resources: [csistoragecapacities], verbs: [get, list, watch, create, update, patch, delete] }
  - { apiGroups: [""], resources: [pods], verbs: [get] }
  - { apiGroups: [apps], resources: [replicasets], verbs: [get] }
`,
});

/** What upstream publishes for the resizer: its role, in which the rule for secrets is commented out, and the one of its lease. */
export const publishedResizerRoles = rolesWith({
  serviceAccount: "csi-resizer",
  cluster: `
  - { apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, watch, patch] }
  - { apiGroups: [""], resources: [persistentvolumeclaims], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [pods], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [persistentvolumeclaims/status], verbs: [patch] }
  - { apiGroups: [""], resources: [events], verbs: [list, watch, create, update, patch] }
  - { apiGroups: [storage.k8s.io], resources: [volumeattributesclasses], verbs: [get, list, watch] }
`,
  ownNamespace: `
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, list, delete, update, create] }
`,
});

/** What upstream publishes for the snapshotter: its role, in which the rule for secrets is commented out, and the one of its lease. */
export const publishedSnapshotterRoles = rolesWith({
  serviceAccount: "csi-snapshotter",
  cluster: `
  - { apiGroups: [""], resources: [events], verbs: [list, watch, create, update, patch] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshotclasses], verbs: [get, list, watch] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshotcontents], verbs: [get, list, watch, update, patch] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshotcontents/status], verbs: [update, patch] }
  - { apiGroups: [groupsnapshot.storage.k8s.io], resources: [volumegroupsnapshotclasses], verbs: [get, list, watch] }
  - { apiGroups: [groupsnapshot.storage.k8s.io], resources: [volumegroupsnapshotcontents], verbs: [get, list, watch, update, patch] }
  - { apiGroups: [groupsnapshot.storage.k8s.io], resources: [volumegroupsnapshotcontents/status], verbs: [update, patch] }
`,
  ownNamespace: `
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, list, delete, update, create] }
`,
});

/** What upstream publishes for the data source validator, and a role for its lease, which it leaves to administrators. */
export const publishedValidatorRoles = rolesWith({
  serviceAccount: "volume-data-source-validator",
  cluster: `
  - { apiGroups: [populator.storage.k8s.io], resources: [volumepopulators], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [persistentvolumeclaims], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [events], verbs: [list, watch, create, update, patch] }
`,
  ownNamespace: `
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update] }
`,
});

/** What upstream publishes for the health monitor: its role, and the one of its lease. */
export const publishedHealthMonitorRoles = rolesWith({
  serviceAccount: "csi-external-health-monitor-controller",
  cluster: `
  - { apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [persistentvolumeclaims], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [nodes], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [pods], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [events], verbs: [get, list, watch, create, patch] }
`,
  ownNamespace: `
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, list, delete, update, create] }
`,
});
