/** What upstream publishes for the provisioner: its role, and the one of its own namespace, for the lease and the capacity objects. */
export const publishedProvisionerRoles = (name: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: ${name} }
rules:
  - { apiGroups: [""], resources: [persistentvolumes], verbs: [get, list, watch, create, patch, delete] }
  - { apiGroups: [""], resources: [persistentvolumeclaims], verbs: [get, list, watch, update] }
  - { apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [events], verbs: [list, watch, create, update, patch] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshots], verbs: [get, list, watch, update] }
  - { apiGroups: [snapshot.storage.k8s.io], resources: [volumesnapshotcontents], verbs: [get, list] }
  - { apiGroups: [storage.k8s.io], resources: [csinodes], verbs: [get, list, watch] }
  - { apiGroups: [""], resources: [nodes], verbs: [get, list, watch] }
  - { apiGroups: [storage.k8s.io], resources: [volumeattachments], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} }
subjects: [{ kind: ServiceAccount, name: csi-provisioner, namespace: default }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: ${name}, namespace: default }
rules:
  - { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, list, delete, update, create] }
  - { apiGroups: [storage.k8s.io], resources: [csistoragecapacities], verbs: [get, list, watch, create, update, patch, delete] }
  - { apiGroups: [""], resources: [pods], verbs: [get] }
  - { apiGroups: [apps], resources: [replicasets], verbs: [get] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: ${name}, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name} }
subjects: [{ kind: ServiceAccount, name: csi-provisioner, namespace: default }]
`;
