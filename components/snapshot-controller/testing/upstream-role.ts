import type { PolicyRule } from "@csi-sidecars/host";

const single = { apiGroups: ["snapshot.storage.k8s.io"] };
const group = { apiGroups: ["groupsnapshot.storage.k8s.io"] };

/** The ClusterRole `snapshot-controller-runner` that upstream publishes, without what distributed snapshotting needs. */
export const upstreamRole: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get", "list", "watch", "update"] },
  { apiGroups: [""], resources: ["events"], verbs: ["list", "watch", "create", "update", "patch"] },
  { ...single, resources: ["volumesnapshotclasses"], verbs: ["get", "list", "watch"] },
  { ...single, resources: ["volumesnapshotcontents"], verbs: ["create", "get", "list", "watch", "update", "delete", "patch"] },
  { ...single, resources: ["volumesnapshotcontents/status"], verbs: ["patch"] },
  { ...single, resources: ["volumesnapshots"], verbs: ["create", "get", "list", "watch", "update", "patch", "delete"] },
  { ...single, resources: ["volumesnapshots/status"], verbs: ["update", "patch"] },
  { ...group, resources: ["volumegroupsnapshotclasses"], verbs: ["get", "list", "watch"] },
  { ...group, resources: ["volumegroupsnapshotcontents"], verbs: ["create", "get", "list", "watch", "update", "delete", "patch"] },
  { ...group, resources: ["volumegroupsnapshotcontents/status"], verbs: ["patch"] },
  { ...group, resources: ["volumegroupsnapshots"], verbs: ["get", "list", "watch", "update", "patch"] },
  { ...group, resources: ["volumegroupsnapshots/status"], verbs: ["update", "patch"] },
];
